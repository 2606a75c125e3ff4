// Several names at once on Redis: what a set costs, and requests that are lost, late or come twice.

#include "fault/redis_fixture.hpp"
#include "support/monitor.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

namespace holdfast::test {
namespace {

using engine::op_status;

const std::vector<std::string> abc{"a", "b", "c"};

class redis_set : public redis_fault {
protected:
    [[nodiscard]] bool nothing_is_held() {
        return std::ranges::none_of(abc, [&](const auto& name) { return is_held(name); });
    }
    [[nodiscard]] bool will_be_free() {
        return eventually([&] { return nothing_is_held(); });
    }
    void lose(const engine::redis::script& script, ending then = ending::reset) {
        between.drop_answers({.with = call_of(script)}, then);
    }
};

TEST_F(redis_set, is_one_call_to_acquire_and_one_to_release) {
    auto here = direct();
    (void)acquire_all(here, abc); // loads the scripts
    monitor seen{server};
    auto set = acquire_all(here, abc);
    EXPECT_EQ(seen.commands().size(), 1U);
    EXPECT_EQ(set.release(), release_answer::released);
    EXPECT_EQ(seen.commands().size(), 1U);
    mutex a{here, "a"};
    mutex b{here, "b"};
    { const scoped_lock_all both{b, a}; }
    EXPECT_EQ(seen.commands().size(), 2U);
}

// The server's clock is behind the mark, so the names have different tokens.
TEST_F(redis_set, has_tokens_above_the_mark_and_above_those_before) { // P3
    auto here = direct();
    (void)acquire_all(here, abc);
    const auto ahead = std::chrono::duration_cast<std::chrono::microseconds>(
                           (std::chrono::system_clock::now() + 1h).time_since_epoch())
                           .count();
    server.command({"SET", "hf:mark", std::to_string(ahead)});
    server.command({"DEL", "hf:{a}", "hf:{c}"});
    std::uint64_t last_a = 0;
    std::uint64_t last_c = 0;
    for (int round = 0; round < 3; ++round) {
        auto set = acquire_all(here, abc);
        EXPECT_GT(set.token("a"), static_cast<std::uint64_t>(ahead));
        EXPECT_GT(set.token("a"), std::exchange(last_a, set.token("a")));
        EXPECT_GT(set.token("c"), std::exchange(last_c, set.token("c")));
        EXPECT_NE(set.token("a"), set.token("b"));
        EXPECT_EQ(set.release(), release_answer::released);
    }
}

TEST_F(redis_set, of_locks_that_differ_gives_each_its_own_options) {
    auto here = direct();
    mutex a{here, "a", {.lease = 20s}};
    mutex b{here, "b", {.lease = 100s}};
    const scoped_lock_all both{a, b};
    const auto remaining = [&](const char* name) {
        return admin{here}.inspect(name).value().holders.at(0).remaining;
    };
    EXPECT_LE(remaining("a"), 20s);
    EXPECT_GT(remaining("a"), 10s);
    EXPECT_GT(remaining("b"), 50s);
}

// std::scoped_lock{a, b} needed 47 calls.
TEST_F(redis_set, of_two_names_costs_at_most_six_calls_when_many_want_them) {
    constexpr int threads = 6;
    constexpr int rounds = 40;
    std::atomic<int> inside{0};
    std::atomic<int> overlaps{0};
    const auto transfer = [&](client& own, int rounds_here, bool forward) {
        mutex a{own, "a"};
        mutex b{own, "b"};
        for (int round = 0; round < rounds_here; ++round) {
            forward ? lock_all(a, b) : lock_all(b, a);
            if (inside.fetch_add(1) != 0) { ++overlaps; }
            std::this_thread::sleep_for(200us);
            --inside;
            unlock_all(a, b);
        }
    };
    std::vector<client> clients;
    for (int i = 0; i < threads; ++i) {
        clients.push_back(direct());
        transfer(clients.back(), 1, true); // connects, and loads the scripts
    }
    server.command({"CONFIG", "RESETSTAT"});
    {
        std::vector<std::jthread> all;
        for (int i = 0; i < threads; ++i) {
            all.emplace_back(
                [&, i] { transfer(clients[static_cast<std::size_t>(i)], rounds, i % 2 == 0); });
        }
    }
    const auto calls = server.calls_of("evalsha");
    RecordProperty("calls_per_transfer", std::to_string(double(calls) / (threads * rounds)));
    std::cout << "calls per transfer: " << double(calls) / (threads * rounds) << std::endl;
    EXPECT_EQ(overlaps.load(), 0);
    EXPECT_LE(calls, 6 * threads * rounds);
    EXPECT_GE(calls, 2 * threads * rounds);
}

TEST_F(redis_set, whose_answer_is_lost_leaves_no_hold_behind) { // P5
    auto here = connect();
    (void)acquire_all(here, abc);
    lose(scripts::acquire_set);
    std::error_code failure;
    const auto set = try_acquire_all(here, abc, failure);
    EXPECT_EQ(between.counts().dropped, 1U);
    EXPECT_FALSE(set);
    EXPECT_EQ(failure, errc::unavailable);
    EXPECT_TRUE(will_be_free());
}

TEST_F(redis_set, whose_answer_is_lost_is_acquired_in_order) { // P4, P5
    auto here = connect();
    (void)acquire_all(here, abc);
    lose(scripts::acquire_set);
    auto set = acquire_all(here, abc);
    EXPECT_EQ(between.counts().dropped, 1U);
    EXPECT_TRUE(set.valid());
    for (const auto& name : abc) { EXPECT_EQ(look(name).holders.size(), 1U) << name; }
    EXPECT_EQ(set.release(), release_answer::released);
    EXPECT_TRUE(will_be_free());
}

TEST_F(redis_set, that_arrives_late_takes_nothing) { // P5
    auto here = connect("?timeout=1000");
    (void)acquire_all(here, abc);
    between.hold_requests({.with = call_of(scripts::acquire_set)});
    background<bool> asking{[&](const std::stop_token& stop) {
        auto set = acquire_all(here, abc, {.stop = stop}); // in order, after the first has failed
        return set.valid() && set.release() == release_answer::released;
    }};
    ASSERT_TRUE(eventually([&] { return between.counts().held == 1; }));
    between.cut();
    EXPECT_TRUE(asking.get());
    server.command({"CONFIG", "RESETSTAT"});
    between.release();
    ASSERT_TRUE(eventually([&] { return server.calls_of("evalsha") > 0; }));
    EXPECT_TRUE(nothing_is_held());
    auto other = direct();
    EXPECT_TRUE(try_acquire_all(other, abc));
}

TEST_F(redis_set, whose_release_is_lost_is_released_once_more) { // P2, P5
    auto here = connect();
    (void)acquire_all(here, abc);
    auto set = acquire_all(here, abc);
    lose(scripts::release_set);
    EXPECT_EQ(set.release(), release_answer::released);
    EXPECT_EQ(between.counts().dropped, 1U);
    EXPECT_TRUE(nothing_is_held());
    set = acquire_all(here, abc);
    between.hold_requests({.with = call_of(scripts::release_set)});
    background<release_answer> releasing{[&](const std::stop_token&) { return set.release(); }};
    ASSERT_TRUE(eventually([&] { return between.counts().held >= 1; }));
    between.cut();
    EXPECT_EQ(releasing.get(), release_answer::released);
    auto other = direct();
    auto theirs = acquire_all(other, abc);
    server.command({"CONFIG", "RESETSTAT"});
    between.release();
    ASSERT_TRUE(eventually([&] { return server.calls_of("evalsha") > 0; }));
    EXPECT_TRUE(theirs.valid());
    for (const auto& name : abc) { EXPECT_TRUE(is_held(name)) << "the late release took it away"; }
}

TEST_F(redis_set, that_is_cancelled_on_its_way_leaves_nothing) { // P4, P5
    auto here = connect();
    (void)acquire_all(here, abc);
    between.hold_answers({.with = call_of(scripts::acquire_set)});
    background<std::error_code> asking{[&](const std::stop_token& stop) {
        std::error_code failure;
        (void)acquire_all(here, abc, {.stop = stop}, failure);
        return failure;
    }};
    ASSERT_TRUE(eventually([&] { return between.counts().held >= 1; }));
    asking.stop();
    EXPECT_EQ(asking.get(), errc::cancelled);
    between.release();
    EXPECT_TRUE(will_be_free());
}

TEST_F(redis_set, keeps_tokens_rising_and_works_with_max_lease) { // P1, P3
    client here{server.url() + "?max_lease=2s"};
    auto first = acquire_all(here, abc, {.lease = 1s});
    const auto before = first.tokens();
    EXPECT_EQ(first.release(), release_answer::released);
    auto second = acquire_all(here, abc, {.lease = 1s});
    for (const auto& [name, token] : second.tokens()) { EXPECT_GT(token, before.at(name)); }
    server.command({"FLUSHALL"});
    client other{server.url() + "?max_lease=2s"};
    EXPECT_EQ(complaint_of([&] {
                  (void)try_acquire_all(other, {"b", "z"}, {.lease = 1s});
              }).code,
              errc::unavailable)
        << "in the grace period nothing is granted";
    EXPECT_TRUE(second.valid()) << "it makes its holds again";
}

TEST_F(redis_set, cancelled_at_the_seam_is_undone) { // P5
    seam_client one{between.url()};
    engine::acquire_set_op set;
    for (const auto& name : abc) {
        set.items.push_back(seam_client::acquire_op(one.ticket(name), {}));
    }
    ASSERT_EQ(one.acquire(one.ticket("other")).status, op_status::granted); // connects
    const auto id = one.start(set);
    one.send();
    one.cancel(id);
    one.drive_for(scaled(100ms));
    EXPECT_EQ(one.times_answered(id), 0U);
    EXPECT_TRUE(will_be_free());
}

// Its script was refused in the middle, and one name stayed taken for a lease.
TEST_F(redis_set, takes_nothing_if_the_user_lacks_a_right_that_one_of_the_names_needs) { // P8
    server.command({"ACL", "SETUSER", "locks", "on", ">secret", "~*", "&*", "+@all", "-pttl"});
    auto here = direct();
    mutex b{here, "b"};
    b.lock();
    ASSERT_TRUE(admin{here}.break_lock("b")); // who held it is remembered, beside the record
    client there{"redis://locks:secret@127.0.0.1:" + std::to_string(server.port())};
    std::error_code failure;
    EXPECT_FALSE(acquire_all(there, abc, {}, failure));
    EXPECT_EQ(failure, errc::store_forbidden);
    EXPECT_TRUE(nothing_is_held());
}

// One lease had ended when the reply came; the other name rested for its min_hold, for nothing.
TEST_F(redis_set, that_comes_too_late_for_one_name_leaves_no_min_hold_on_the_others) {
    auto here = connect();
    mutex brief{here, "a", {.lease = 100ms}};
    mutex resting{here, "b", {.min_hold = 60s}};
    between.hold_answers({.with = call_of(scripts::acquire_set)});
    background trying{[&](const std::stop_token&) {
        return complaint_of([&] { EXPECT_FALSE(try_lock_all(brief, resting)); }).code;
    }};
    ASSERT_TRUE(eventually([&] { return is_held("b"); }));
    std::this_thread::sleep_for(150ms);
    between.release();
    (void)trying.get();
    const auto there = direct();
    EXPECT_TRUE((mutex{there, "b"}.try_acquire_for(5s)));
}

} // namespace
} // namespace holdfast::test
