// P1: exclusion, as the checker sees it.

#include "script.hpp"

namespace {

using namespace holdfast::history;
using namespace holdfast::history::testing;

TEST(history_checker, finds_two_valid_exclusive_leases_at_once) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms).hold("b", 2, 99ms, 200ms);
    s.lose(100ms, "a").release(150ms, "b");
    const auto found = check(s.events);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].broken_rule, rule::two_exclusive);
    EXPECT_EQ(found[0].promise, 1);
    EXPECT_EQ(found[0].name, the_name);
    EXPECT_EQ(found[0].events.size(), 2U);
    EXPECT_THAT(found[0].sentence, ::testing::HasSubstr("both valid from 99 ms in for 1 ms"));
}

TEST(history_checker, allows_a_grant_at_the_instant_at_which_the_lease_before_runs_out) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms).hold("b", 2, 100ms, 200ms);
    s.lose(100ms, "a").release(150ms, "b");
    EXPECT_THAT(s.found(), IsEmpty());
}

TEST(history_checker, counts_a_lease_as_valid_up_to_its_release_only) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms).release(50ms, "a").hold("b", 2, 50ms, 200ms).release(60ms, "b");
    EXPECT_THAT(s.found(), IsEmpty());

    history_script early;
    early.hold("a", 1, 0ms, 100ms).hold("b", 2, 50ms, 200ms);
    early.release(50ms + 1ns, "a").release(60ms, "b");
    EXPECT_THAT(early.found(), ElementsAre(rule::two_exclusive));
}

TEST(history_checker, counts_a_lease_as_valid_up_to_its_loss_only) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms).lose(40ms, "a").hold("b", 2, 40ms, 200ms).release(60ms, "b");
    EXPECT_THAT(s.found(), IsEmpty());

    history_script early;
    early.hold("a", 1, 0ms, 100ms).hold("b", 2, 39ms, 200ms).lose(40ms, "a").release(60ms, "b");
    EXPECT_THAT(early.found(), ElementsAre(rule::two_exclusive));
}

TEST(history_checker, counts_a_loss_from_when_it_fired_not_from_when_it_was_written_down) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms).hold("b", 2, 40ms, 200ms).release(60ms, "b");
    s.add(70ms, "a", lost{std::string{the_name}, "a", {}, start + 40ms});
    EXPECT_THAT(s.found(), IsEmpty());
}

TEST(history_checker, takes_renewals_into_account) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms).renew(50ms, "a", 150ms).hold("b", 2, 149ms, 300ms);
    s.lose(150ms, "a").release(160ms, "b");
    EXPECT_THAT(s.found(), ElementsAre(rule::two_exclusive));

    history_script after;
    after.hold("a", 1, 0ms, 100ms).renew(50ms, "a", 150ms).hold("b", 2, 150ms, 300ms);
    after.lose(150ms, "a").release(160ms, "b");
    EXPECT_THAT(after.found(), IsEmpty());
}

TEST(history_checker, takes_a_shortened_lease_into_account) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms).renew(50ms, "a", 60ms).hold("b", 2, 60ms, 300ms);
    s.lose(61ms, "a").release(70ms, "b");
    EXPECT_THAT(s.found(), IsEmpty());

    history_script early;
    early.hold("a", 1, 0ms, 100ms).renew(50ms, "a", 60ms).hold("b", 2, 59ms, 300ms);
    early.lose(61ms, "a").release(70ms, "b");
    EXPECT_THAT(early.found(), ElementsAre(rule::two_exclusive));
}

TEST(history_checker, judges_by_what_the_holder_knew_at_the_time) {
    // At 110 ms the holder knew only of 100 ms; that a renewal came at 120 ms is its own fault.
    history_script s;
    s.hold("a", 1, 0ms, 100ms).hold("b", 2, 105ms, 115ms).release(115ms, "b");
    s.renew(120ms, "a", 200ms).release(130ms, "a");
    EXPECT_THAT(s.found(), ElementsAre(rule::revived));
}

TEST(history_checker, finds_a_reader_beside_a_writer_whoever_came_first) {
    history_script reader_first;
    reader_first.hold("w", 1, 0ms, 10ms).release(5ms, "w");
    reader_first.ask_shared(10ms, "r").grant(10ms, "r", 1, 100ms).hold("v", 2, 20ms, 100ms);
    reader_first.release(30ms, "r").release(40ms, "v");
    EXPECT_THAT(reader_first.found(), ElementsAre(rule::exclusive_with_shared));

    history_script writer_first;
    writer_first.hold("w", 1, 0ms, 100ms).ask_shared(10ms, "r").grant(10ms, "r", 1, 100ms);
    writer_first.release(30ms, "w").release(40ms, "r");
    EXPECT_THAT(writer_first.found(), ElementsAre(rule::exclusive_with_shared));
}

TEST(history_checker, allows_readers_together_and_a_writer_after_the_last_of_them) {
    history_script s;
    s.ask_shared(0ms, "r").grant(0ms, "r", 7, 100ms);
    s.ask_shared(5ms, "q").grant(5ms, "q", 7, 100ms);
    s.release(30ms, "q").release(50ms, "r").hold("w", 8, 50ms, 100ms).release(60ms, "w");
    EXPECT_THAT(s.found(), IsEmpty());
}

TEST(history_checker, finds_too_many_permits) {
    history_script s;
    s.ask_permits(0ms, "a", 2, 3).grant(0ms, "a", 1, 100ms);
    s.ask_permits(10ms, "b", 2, 3).grant(10ms, "b", 2, 100ms);
    s.release(20ms, "a").release(30ms, "b");
    EXPECT_THAT(s.found(), ElementsAre(rule::too_many_permits));
}

TEST(history_checker, allows_as_many_permits_as_the_limit) {
    history_script s;
    s.ask_permits(0ms, "a", 2, 3).grant(0ms, "a", 1, 100ms);
    s.ask_permits(10ms, "b", 1, 3).grant(10ms, "b", 2, 100ms);
    s.ask_permits(10ms, "c", 2, 3).release(20ms, "a").grant(20ms, "c", 3, 100ms);
    s.release(30ms, "b").release(30ms, "c");
    EXPECT_THAT(s.found(), IsEmpty());
}

TEST(history_checker, finds_permits_counted_against_different_limits) {
    history_script s;
    s.ask_permits(0ms, "a", 1, 3).grant(0ms, "a", 1, 100ms);
    s.ask_permits(10ms, "b", 1, 4).grant(10ms, "b", 2, 100ms).release(20ms, "a");
    EXPECT_THAT(s.release(30ms, "b").found(), ElementsAre(rule::mixed_use));

    history_script one_after_the_other;
    one_after_the_other.ask_permits(0ms, "a", 1, 3).grant(0ms, "a", 1, 100ms).release(10ms, "a");
    one_after_the_other.ask_permits(10ms, "b", 1, 4).grant(10ms, "b", 2, 100ms).release(30ms, "b");
    EXPECT_THAT(one_after_the_other.found(), IsEmpty());
}

TEST(history_checker, finds_a_grant_of_no_permits_or_of_more_than_there_are) {
    for (const unsigned n : {0U, 4U}) {
        history_script s;
        s.ask_permits(0ms, "a", n, 3).grant(0ms, "a", 1, 100ms).release(10ms, "a");
        EXPECT_THAT(s.found(), ElementsAre(rule::mixed_use)) << n;
    }
    history_script all;
    all.ask_permits(0ms, "a", 3, 3).grant(0ms, "a", 1, 100ms).release(10ms, "a");
    EXPECT_THAT(all.found(), IsEmpty());
}

TEST(history_checker, finds_a_name_used_as_mutex_and_as_semaphore_at_once) {
    history_script s;
    s.ask_permits(0ms, "a", 1, 3).grant(0ms, "a", 1, 100ms).hold("b", 2, 5ms, 100ms);
    EXPECT_THAT(s.release(10ms, "a").release(20ms, "b").found(), ElementsAre(rule::mixed_use));
}

TEST(history_checker, lets_a_killed_holder_be_taken_over_from_the_kill_on) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms).kill("a", 30ms).hold("b", 2, 30ms, 200ms).release(40ms, "b");
    EXPECT_THAT(s.end(500ms).found(), IsEmpty());

    history_script before;
    before.hold("a", 1, 0ms, 100ms).hold("b", 2, 29ms, 200ms).kill("a", 30ms).release(40ms, "b");
    EXPECT_THAT(before.end(500ms).found(), ElementsAre(rule::two_exclusive));
}

TEST(history_checker, does_not_take_a_process_for_dead_because_its_pid_was_once_killed) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms).kill("a", 30ms).hold("a2", 2, 40ms, 200ms);
    s.hold("b", 3, 50ms, 200ms).release(60ms, "a2").release(70ms, "b");
    EXPECT_THAT(s.found(), ElementsAre(rule::two_exclusive));
}

TEST(history_checker, excuses_holders_when_an_operator_broke_it) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms).break_lock(50ms).hold("b", 2, 50ms, 200ms);
    s.lose(60ms, "a").release(70ms, "b");
    EXPECT_THAT(s.found(), IsEmpty());
}

TEST(history_checker, does_not_excuse_holders_after_a_break) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms).break_lock(50ms).lose(60ms, "a");
    s.hold("b", 2, 51ms, 200ms).hold("c", 3, 60ms, 200ms).release(70ms, "b").release(70ms, "c");
    EXPECT_THAT(s.found(), ElementsAre(rule::two_exclusive));
}

TEST(history_checker, excuses_a_broken_hold_whose_grant_was_recorded_after_the_break_by_its_token) {
    history_script s;
    s.ask(0ms, "a").break_lock(50ms, 1).hold("b", 2, 51ms, 200ms).grant(52ms, "a", 1, 100ms);
    s.lose(60ms, "a").release(70ms, "b");
    EXPECT_THAT(s.found(), IsEmpty());
}

TEST(history_checker, does_not_excuse_by_its_token_a_hold_requested_after_the_break) {
    history_script s;
    s.hold("a", 2, 0ms, 100ms).break_lock(50ms, 2).lose(51ms, "a");
    s.hold("b", 1, 51ms, 200ms).release(60ms, "b");
    EXPECT_THAT(s.found(), ElementsAre(rule::token_order));
}

TEST(history_checker, does_not_excuse_a_reader_after_a_break_for_carrying_the_broken_token) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms).ask_shared(40ms, "r").break_lock(50ms, 1).lose(51ms, "a");
    s.grant(60ms, "r", 1, 200ms).hold("b", 2, 70ms, 200ms);
    s.release(80ms, "r").release(90ms, "b");
    EXPECT_THAT(s.found(), ElementsAre(rule::exclusive_with_shared));
}

TEST(history_checker, finds_two_leases_at_once_on_an_engine_without_tokens) {
    history_script s;
    s.hold("a", 0, 0ms, 100ms).hold("b", 0, 50ms, 100ms).release(60ms, "a").release(60ms, "b");
    EXPECT_THAT(s.found(), ElementsAre(rule::two_exclusive));

    history_script long_after_a_break;
    long_after_a_break.break_lock(0ms).hold("a", 0, 10ms, 100ms).hold("b", 0, 50ms, 100ms);
    long_after_a_break.release(60ms, "a").release(60ms, "b");
    EXPECT_THAT(long_after_a_break.found(), ElementsAre(rule::two_exclusive));
}

TEST(history_checker, keeps_names_apart) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms).release(50ms, "a");
    const auto one = s.events;
    for (auto e : one) {
        std::visit(
            [](auto& details) {
                if constexpr (requires { details.name; }) { details.name = "another"; }
            },
            e.type);
        s.events.push_back(e);
    }
    EXPECT_THAT(s.found(), IsEmpty());
}

TEST(history_checker, follows_eight_processes_interleaved) {
    history_script s;
    const std::string everybody = "abcdefgh";
    for (int turn = 0; turn < 100; ++turn) {
        for (std::size_t i = 0; i < everybody.size(); ++i) {
            const std::string owner{everybody[i]};
            const auto token = static_cast<std::uint64_t>(turn) * 8 + i + 1;
            const auto from = 1ms * (turn * 8 + static_cast<int>(i));
            s.ask(from, owner).grant(from, owner, token, from + 1s).release(from + 1ms, owner);
        }
    }
    EXPECT_THAT(s.found({.fifo = true}), IsEmpty());

    s.events[3 * 400 + 2].at += 1ns; // one release of 800
    EXPECT_THAT(s.found({.fifo = true}), ElementsAre(rule::two_exclusive));
}

} // namespace
