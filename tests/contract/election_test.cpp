// Leader election across clients.
#include "contract/contract.hpp"

#include <mutex>
#include <set>
#include <thread>

namespace {

using namespace holdfast::test;
using holdfast::election;
using holdfast::errc;
using holdfast::leader_state;

HOLDFAST_CONTRACT(elections);

TEST_P(elections, have_one_leader_and_rising_terms) { // P1, P3
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    auto mine = connect();
    auto theirs = connect();
    election here{mine, "scheduler"};
    election there{theirs, "scheduler"};
    EXPECT_EQ(there.leader(), leader_state{});
    auto first = here.campaign("host-1");
    EXPECT_TRUE(first.valid());
    EXPECT_FALSE(there.try_campaign("host-2"));
    EXPECT_FALSE(there.try_campaign_for(20ms, "host-2"));
    EXPECT_EQ(there.leader().value, "host-1");
    EXPECT_EQ(there.leader().term, first.term());
    const auto term = first.term();
    EXPECT_EQ(first.resign(), holdfast::release_answer::released);
    EXPECT_FALSE(first);
    EXPECT_EQ(there.leader(), leader_state{});
    const auto second = there.try_campaign("host-2");
    ASSERT_TRUE(second);
    EXPECT_GT(second->term(), term);
    EXPECT_EQ(here.leader().value, "host-2");
}

TEST_P(elections, hand_over_to_the_next_candidate) { // P6
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    auto mine = connect();
    auto theirs = connect();
    election here{mine, "scheduler"};
    election there{theirs, "scheduler"};
    auto first = here.campaign();
    background next{
        [&](const std::stop_token& stop) { return there.campaign("next", {.stop = stop}).term(); }};
    EXPECT_TRUE(will_wait("election:scheduler", 1));
    const auto term = first.term();
    first = {};
    EXPECT_GT(next.get(), term);
}

TEST_P(elections, refuse_the_late_value_of_a_former_leader) { // P3
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    auto mine = connect();
    auto theirs = connect();
    election here{mine, "scheduler"};
    election there{theirs, "scheduler"};
    auto first = here.campaign("old");
    first.publish("older");
    EXPECT_EQ(there.leader().value, "older");
    ASSERT_TRUE(holdfast::admin{theirs}.break_lock("election:scheduler"));
    auto second = there.campaign("new");
    std::error_code failure;
    EXPECT_FALSE(first.publish("late", failure));
    EXPECT_EQ(failure, errc::lost);
    EXPECT_EQ(here.leader().value, "new");
    first = {}; // takes nothing away
    EXPECT_TRUE(second.valid());
    EXPECT_EQ(here.leader().value, "new");
    EXPECT_EQ(failure_of([&] { first.publish("late"); }), errc::not_held);
}

TEST_P(elections, tell_the_leader_that_its_term_ends) { // P2
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    auto mine = connect();
    auto theirs = connect();
    election here{mine, "scheduler", {.lease = short_lease}};
    const auto term = here.campaign();
    const auto lost = term.lost();
    EXPECT_FALSE(lost.stop_requested());
    ASSERT_TRUE(holdfast::admin{theirs}.break_lock("election:scheduler"));
    EXPECT_TRUE(eventually([&] { return lost.stop_requested(); }));
    EXPECT_FALSE(term.valid());
    EXPECT_EQ(term.why_lost(), holdfast::loss::taken);
}

TEST_P(elections, push_changes) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    auto mine = connect();
    auto theirs = connect();
    election here{mine, "scheduler"};
    const election there{theirs, "scheduler"};
    std::mutex guard;
    std::vector<std::string> seen;
    std::stop_source stop;
    std::jthread observer{[&] {
        there.observe(stop.get_token(), [&](const leader_state& leader) {
            const std::lock_guard lock{guard};
            const auto text = leader.term == 0 ? "nobody" : leader.value;
            if (seen.empty() || seen.back() != text) { seen.push_back(text); }
        });
    }};
    const auto sees = [&](const std::string& text) {
        return eventually([&] {
            const std::lock_guard lock{guard};
            return !seen.empty() && seen.back() == text;
        });
    };
    EXPECT_TRUE(sees("nobody"));
    auto term = here.campaign("a");
    EXPECT_TRUE(sees("a"));
    const stopwatch spent;
    term.publish("b");
    EXPECT_TRUE(sees("b"));
    term.publish("c");
    EXPECT_TRUE(sees("c"));
    EXPECT_LT(spent.elapsed(), scaled(900ms)) << "the changes were not pushed";
    term = {};
    EXPECT_TRUE(sees("nobody"));
    stop.request_stop();
}

// On embedded each look showed the next candidate as leader, with another term: observe() spun.
TEST_P(elections, show_no_leader_whose_term_has_not_begun) { // P3
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    using holdfast::engine::op_status;
    auto mine = connect();
    const election here{mine, "scheduler"};
    EXPECT_EQ(here.leader(), leader_state{}); // its housekeeping has begun
    seam_client gone{url()};
    seam_client silent{url()};
    const std::string lock = "election:scheduler";
    ASSERT_EQ(gone.acquire(gone.ticket(lock), {.lease = 150ms}).status, op_status::granted);
    ASSERT_EQ(
        silent.acquire(silent.ticket(lock), {.queue = holdfast::engine::queueing::grant}).status,
        op_status::queued);
    std::this_thread::sleep_for(250ms);
    int changes = 0;
    std::set<std::uint64_t> terms;
    {
        std::jthread observer{[&](const std::stop_token& stop) {
            here.observe(stop, [&](const leader_state& leader) {
                ++changes;
                if (leader.term != 0) { terms.insert(leader.term); }
            });
        }};
        std::this_thread::sleep_for(300ms);
    }
    // Housekeeping may grant the candidate at any moment; till then nobody leads.
    EXPECT_LE(terms.size(), 1U);
    EXPECT_LE(changes, 2);
}

TEST_P(elections, wait_for_a_change_no_longer_than_they_may) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    auto mine = connect();
    election here{mine, "scheduler"};
    const auto nobody = here.leader();
    EXPECT_EQ(here.wait_for_change_for(nobody, 30ms), nobody);
    std::stop_source stop;
    std::jthread stopper{[&] {
        std::this_thread::sleep_for(50ms);
        stop.request_stop();
    }};
    EXPECT_EQ(here.wait_for_change_for(nobody, 10s, {.stop = stop.get_token()}), nobody);
    EXPECT_EQ(failure_of([&] { (void)here.wait_for_change(nobody, {.stop = stop.get_token()}); }),
              errc::cancelled);
    const auto term = here.campaign("a");
    EXPECT_EQ(here.wait_for_change(nobody).value, "a");
}

TEST_P(elections, leave_nothing_behind) { // P8
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    {
        auto mine = connect();
        election here{mine, "scheduler"};
        (void)here.campaign("a").resign();
        (void)here.campaign("b");
    }
    seam_client seam{url()};
    auto ticket = seam.ticket("election:scheduler");
    EXPECT_EQ(seam.ask(holdfast::engine::cell_op{.ticket = ticket}).cell->birth, 0U);
    EXPECT_TRUE(will_be_clear("election:scheduler"));
}

// It stayed for ever if nobody followed.
TEST_P(elections, erase_the_value_of_a_term_that_was_lost) { // P8
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    auto mine = connect();
    election here{mine, "scheduler"};
    seam_client seam{url()};
    const auto ticket = seam.ticket("election:scheduler");
    {
        auto term = here.campaign("a");
        ASSERT_TRUE(holdfast::admin{mine}.break_lock("election:scheduler"));
        ASSERT_TRUE(eventually([&] { return !term.valid(); }));
        EXPECT_NE(seam.ask(holdfast::engine::cell_op{.ticket = ticket}).cell->birth, 0U);
    }
    EXPECT_EQ(seam.ask(holdfast::engine::cell_op{.ticket = ticket}).cell->birth, 0U);
}

TEST_P(elections, are_refused_with_a_reason_where_they_are_not_safe) {
    if (can().why_no_cells == nullptr) { GTEST_SKIP() << "this engine has them"; }
    auto mine = connect();
    EXPECT_EQ(failure_of([&] { const election none{mine, "a"}; }), errc::unsupported);
    EXPECT_EQ(failure_of([&] { const holdfast::once_flag none{mine, "a"}; }), errc::unsupported);
    EXPECT_EQ(failure_of([&] { const holdfast::barrier none{mine, "a", 1}; }), errc::unsupported);
}

} // namespace
