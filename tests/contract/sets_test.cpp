// Several names at once: acquire_all, and the two operations of the seam behind it.
#include "contract/contract.hpp"

#include <array>
#include <atomic>
#include <random>
#include <set>
#include <thread>

namespace {

using namespace holdfast::test;
using holdfast::errc;
using holdfast::loss;
using holdfast::release_answer;
using holdfast::engine::acquire_set_op;
using holdfast::engine::op_status;
using holdfast::engine::queueing;
using holdfast::engine::release_set_op;

const std::vector<std::string> abc{"a", "b", "c"};

HOLDFAST_CONTRACT(sets);

/// Whether the names of these tests are one step: in a cluster they are in several slots.
bool is_one_step(const holdfast::engine::capabilities& can, const std::string& url) {
    return can.sets && url.find("cluster") == std::string::npos;
}

TEST_P(sets, have_all_names_or_none) { // P1
    auto mine = connect();
    auto theirs = connect();
    holdfast::mutex b{theirs, "b"};
    auto held = b.acquire();
    EXPECT_FALSE(holdfast::try_acquire_all(mine, abc));
    EXPECT_FALSE(holdfast::try_acquire_all_for(mine, abc, 30ms));
    EXPECT_TRUE(is_free("a"));
    EXPECT_TRUE(is_free("c"));
    held.release();
    auto set = holdfast::try_acquire_all(mine, abc);
    ASSERT_TRUE(set);
    EXPECT_TRUE(set->valid());
    EXPECT_GT(set->remaining(), 1s);
    EXPECT_FALSE(set->why_lost());
    for (const auto& name : abc) { EXPECT_FALSE(is_free(name)) << name; }
    EXPECT_EQ(set->release(), release_answer::released);
    EXPECT_FALSE(*set);
    EXPECT_FALSE(set->valid());
    for (const auto& name : abc) { EXPECT_TRUE(is_free(name)) << name; }
}

TEST_P(sets, are_sorted_and_have_each_name_once) {
    auto mine = connect();
    const auto set = holdfast::acquire_all(mine, {"c", "a", "b", "a", "c"});
    EXPECT_EQ(set.names(), abc);
    EXPECT_EQ(set.size(), 3U);
    const auto only = holdfast::acquire_all(mine, {"z", "z"});
    EXPECT_EQ(only.size(), 1U);
}

TEST_P(sets, are_released_by_their_destructor_and_by_assignment) { // P2
    auto mine = connect();
    {
        auto set = holdfast::acquire_all(mine, abc);
        const auto moved = std::move(set);
        EXPECT_TRUE(moved.valid());
        EXPECT_FALSE(is_free("b"));
    }
    EXPECT_TRUE(will_be_clear("a") && will_be_clear("b") && will_be_clear("c"));
    auto set = holdfast::acquire_all(mine, abc);
    set = holdfast::lease_set{};
    EXPECT_TRUE(will_be_clear("a") && will_be_clear("b") && will_be_clear("c"));
}

TEST_P(sets, have_a_token_for_each_name_that_is_higher_than_that_before) { // P3
    HOLDFAST_NEEDS(can().fencing);
    auto mine = connect();
    auto first = holdfast::acquire_all(mine, abc);
    const auto before = first.tokens();
    first.release();
    const auto second = holdfast::acquire_all(mine, abc);
    for (const auto& [name, token] : second.tokens()) {
        EXPECT_GT(token, before.at(name));
        EXPECT_EQ(second.token(name), token);
    }
    EXPECT_EQ(failure_of([&] { (void)second.token("z"); }), errc::not_held);
    EXPECT_EQ(failure_of([&] { (void)first.tokens(); }), errc::not_held);
}

TEST_P(sets, wait_for_names_in_use_and_get_them_all) { // P6
    auto mine = connect();
    auto theirs = connect();
    holdfast::mutex b{theirs, "b"};
    auto held = b.acquire();
    background<bool> waiting{[&](const std::stop_token& stop) {
        return holdfast::acquire_all(mine, abc, {.stop = stop}).valid();
    }};
    ASSERT_TRUE(will_wait("b", 1));
    EXPECT_FALSE(is_free("a")) << "it keeps what it has";
    EXPECT_TRUE(is_free("c")) << "it takes them in order";
    held.release();
    EXPECT_TRUE(waiting.get());
    EXPECT_TRUE(will_be_clear("a") && will_be_clear("b") && will_be_clear("c"));
}

TEST_P(sets, do_not_pass_who_waits) { // P6
    HOLDFAST_NEEDS(can().fifo && can().sets);
    seam_client all{url()};
    const auto holder = all.ticket("b");
    const auto waiter = all.ticket("b");
    ASSERT_EQ(all.acquire(holder).status, op_status::granted);
    ASSERT_EQ(all.acquire(waiter, {.queue = queueing::grant}).status, op_status::queued);
    auto other = connect();
    EXPECT_FALSE(holdfast::try_acquire_all(other, abc));
    EXPECT_EQ(all.release(holder).status, op_status::handed_off);
    EXPECT_FALSE(holdfast::try_acquire_all(other, abc)) << "it was handed off";
    EXPECT_EQ(all.release(waiter).status, op_status::released);
    EXPECT_TRUE(holdfast::try_acquire_all(other, abc));
}

TEST_P(sets, give_up_in_time_and_hold_nothing) { // P4
    auto mine = connect();
    auto theirs = connect();
    holdfast::mutex c{theirs, "c"};
    const auto held = c.acquire();
    std::error_code failure;
    EXPECT_FALSE(holdfast::try_acquire_all_for(mine, abc, 50ms, failure));
    EXPECT_FALSE(failure);
    background<std::error_code> waiting{[&](const std::stop_token& stop) {
        std::error_code why;
        EXPECT_FALSE(holdfast::acquire_all(mine, abc, {.stop = stop}, why));
        return why;
    }};
    ASSERT_TRUE(will_wait("c", 1));
    waiting.stop();
    EXPECT_EQ(waiting.get(), errc::cancelled);
    EXPECT_TRUE(will_be_clear("a") && will_be_clear("b"));
    if (can().sees_waiters) { EXPECT_EQ(waiters_of("c"), 0U); }
}

TEST_P(sets, are_lost_as_a_whole_and_release_the_others) { // P2
    auto mine = connect();
    auto set = holdfast::acquire_all(mine, abc, {.lease = short_lease});
    const auto lost = set.lost();
    auto operator_client = connect();
    holdfast::admin desk{operator_client};
    ASSERT_TRUE(desk.break_lock("b"));
    EXPECT_TRUE(eventually([&] { return lost.stop_requested(); }));
    EXPECT_FALSE(set.valid());
    EXPECT_EQ(set.remaining(), 0ms);
    EXPECT_EQ(set.why_lost(), loss::taken);
    EXPECT_TRUE(will_be_clear("a") && will_be_clear("c")) << "long before their leases end";
    std::error_code failure;
    set.extend(1s, failure);
    EXPECT_EQ(failure, errc::lost);
    EXPECT_EQ(set.release(), release_answer::already_lost);
}

TEST_P(sets, are_renewed_and_can_be_extended) { // P7
    auto mine = connect();
    auto set = holdfast::acquire_all(mine, abc, {.lease = short_lease});
    std::this_thread::sleep_for(short_lease * 2);
    EXPECT_TRUE(set.valid());
    set.extend(20s);
    EXPECT_GT(set.remaining(), 10s);
}

TEST_P(sets, refuse_invalid_names_and_options_before_any_request) {
    auto mine = connect();
    EXPECT_EQ(failure_of([&] { (void)holdfast::acquire_all(mine, {}); }), errc::invalid_option);
    EXPECT_EQ(failure_of([&] {
                  (void)holdfast::acquire_all(mine, {"a", ""});
              }),
              errc::invalid_name);
    std::vector<std::string> many;
    for (int i = 0; i < 65; ++i) { many.push_back("n" + std::to_string(i)); }
    EXPECT_EQ(failure_of([&] { (void)holdfast::acquire_all(mine, many); }), errc::invalid_option);
    EXPECT_EQ(failure_of([&] { (void)holdfast::acquire_all(mine, abc, {.lease = 1ms}); }),
              errc::invalid_option);
}

TEST_P(sets, name_the_lock_that_is_of_another_kind) {
    HOLDFAST_NEEDS(can(holdfast::primitive::shared_mutex).supported);
    HOLDFAST_NEEDS(can().checks_use);
    auto mine = connect();
    holdfast::shared_mutex b{mine, "b"};
    const auto reading = b.acquire_shared();
    EXPECT_EQ(failure_of([&] { (void)holdfast::acquire_all(mine, abc); }), errc::wrong_primitive);
    EXPECT_EQ(failure_of([&] { (void)holdfast::try_acquire_all(mine, abc); }),
              errc::wrong_primitive);
    EXPECT_TRUE(is_free("a"));
}

TEST_P(sets, of_many_threads_never_overlap_and_never_deadlock) { // P1, P4
    std::atomic<int> overlaps{0};
    std::array<std::atomic<int>, 4> holders{};
    {
        std::vector<std::jthread> threads;
        for (unsigned i = 0; i < 4; ++i) {
            threads.emplace_back([&, i] {
                auto own = connect();
                std::minstd_rand random{i + 1};
                for (int round = 0; round < 12; ++round) {
                    const auto first = random() % holders.size();
                    const auto second = random() % holders.size();
                    const auto set = holdfast::acquire_all(
                        own, {"n" + std::to_string(first), "n" + std::to_string(second)});
                    for (const auto each : std::set{first, second}) {
                        if (holders.at(each).fetch_add(1) != 0) { ++overlaps; }
                    }
                    std::this_thread::yield();
                    for (const auto each : std::set{first, second}) { --holders.at(each); }
                }
            });
        }
    }
    EXPECT_EQ(overlaps.load(), 0);
}

// The seam.

class set_requests {
public:
    explicit set_requests(seam_client& client) {
        for (const auto& name : abc) { tickets.push_back(client.ticket(name)); }
    }
    [[nodiscard]] acquire_set_op acquire(const request& terms = {}) const {
        acquire_set_op out;
        for (const auto& each : tickets) {
            out.items.push_back(seam_client::acquire_op(each, terms));
        }
        return out;
    }
    [[nodiscard]] release_set_op release() const {
        release_set_op out;
        for (const auto& each : tickets) { out.items.push_back({.ticket = each}); }
        return out;
    }
    [[nodiscard]] static std::vector<op_status> statuses(const holdfast::engine::answer& answer) {
        std::vector<op_status> out;
        for (const auto& part : answer.parts) { out.push_back(part.status); }
        return out;
    }

    std::vector<holdfast::engine::ticket> tickets;
};

TEST_P(sets, that_are_sent_again_keep_their_tokens) { // P5
    HOLDFAST_NEEDS(is_one_step(can(), url()));
    seam_client one{url()};
    const set_requests set{one};
    const auto first = one.ask(set.acquire());
    ASSERT_EQ(first.status, op_status::granted);
    const auto again = one.ask(set.acquire());
    ASSERT_EQ(again.status, op_status::granted);
    for (std::size_t at = 0; at < 3; ++at) {
        EXPECT_EQ(again.parts.at(at).token, first.parts.at(at).token);
    }
    const std::vector<op_status> released(3, op_status::released);
    EXPECT_EQ(set_requests::statuses(one.ask(set.release())), released);
    EXPECT_EQ(set_requests::statuses(one.ask(set.release())), released) << "sent again";
    EXPECT_EQ(one.ask(set.acquire()).status, op_status::busy) << "comes after its own release";
    for (const auto& name : abc) { EXPECT_TRUE(is_free(name)) << name; }
}

TEST_P(sets, that_are_refused_change_nothing) { // P5
    HOLDFAST_NEEDS(is_one_step(can(), url()));
    seam_client one{url()};
    const set_requests set{one};
    EXPECT_EQ(one.ask(set.acquire({.not_after = holdfast::base::system_time().now() - 1s})).status,
              op_status::busy);
    const auto holder = one.ticket("c");
    ASSERT_EQ(one.acquire(holder).status, op_status::granted);
    EXPECT_EQ(one.ask(set.acquire()).status, op_status::busy);
    EXPECT_TRUE(one.inspect("a").holders.empty());
    EXPECT_TRUE(one.inspect("b").holders.empty());
    EXPECT_EQ(one.withdraw(set.tickets.at(0)).status, op_status::not_held);
}

TEST_P(sets, whose_tickets_were_withdrawn_take_nothing) { // P5
    HOLDFAST_NEEDS(is_one_step(can(), url()));
    seam_client one{url()};
    const set_requests set{one};
    ASSERT_EQ(one.ask(set.acquire()).status, op_status::granted);
    for (const auto& each : set.tickets) {
        EXPECT_EQ(one.withdraw(each).status, op_status::released);
    }
    EXPECT_EQ(one.ask(set.acquire()).status, op_status::busy) << "a late duplicate";
    for (const auto& name : abc) { EXPECT_TRUE(is_free(name)) << name; }
}

TEST_P(sets, hand_off_each_name_that_is_waited_for) { // P6
    HOLDFAST_NEEDS(is_one_step(can(), url()));
    seam_client one{url()};
    const set_requests set{one};
    ASSERT_EQ(one.ask(set.acquire()).status, op_status::granted);
    const auto waiter = one.ticket("b");
    ASSERT_EQ(one.acquire(waiter, {.queue = queueing::grant}).status, op_status::queued);
    EXPECT_EQ(set_requests::statuses(one.ask(set.release())),
              (std::vector{op_status::released, op_status::handed_off, op_status::released}));
    EXPECT_EQ(one.wait_on(waiter).status, op_status::granted);
    EXPECT_EQ(set_requests::statuses(one.ask(set.release())).at(1), op_status::handed_off)
        << "sent again";
}

TEST_P(sets, that_are_not_complete_leave_no_name_resting) { // P8
    HOLDFAST_NEEDS(can().min_hold);
    auto mine = connect();
    auto theirs = connect();
    const auto held = holdfast::mutex{theirs, "b"}.acquire();
    EXPECT_FALSE(holdfast::try_acquire_all_for(mine, abc, 200ms, {.min_hold = 20s}));
    EXPECT_TRUE((holdfast::mutex{theirs, "a"}.try_acquire())) << "it was held for nothing";
}

TEST_P(sets, rest_for_their_min_hold) {
    HOLDFAST_NEEDS(can().min_hold);
    auto mine = connect();
    auto set = holdfast::acquire_all(mine, abc, {.min_hold = 20s});
    EXPECT_EQ(set.release(), release_answer::released);
    EXPECT_FALSE(holdfast::try_acquire_all(mine, abc));
    EXPECT_FALSE(is_free("b"));
}

} // namespace
