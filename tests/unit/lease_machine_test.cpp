// The lease machine in sequences of events; p1 to p9 in a name is the promise that it checks.

#include "holdfast/machine/lease_machine.hpp"

#include "unit/machine_words.hpp"

#include <gtest/gtest.h>

// compiled alone: other files of the folder have helpers of the same names

namespace holdfast::machine {
namespace {

using namespace std::chrono_literals;
using base::milliseconds;
using state = lease_state;
using ending = lease_ending;
using enum lease_event;

/// A lease of 30 s with default margin: N is 28198 after it was sent, renewal is due at 10000.
constexpr lease_terms usual{.lease = 30s};

lease_machine granted(const lease_terms& terms = usual) {
    return {terms, {at(0), terms.lease, false}};
}
lease_machine handed_off(const lease_terms& terms = usual) { return {terms, {at(0), 2s, true}}; }

auto tick_at(lease_machine& machine, double now) { return machine.on({tick, {}, {}}, at(now)); }
auto renewed_at(lease_machine& machine, double now, double sent, milliseconds lease) {
    return machine.on({renewed, at(sent), lease}, at(now));
}
auto extend_at(lease_machine& machine, double now, milliseconds lease) {
    return machine.on({extend, {}, lease}, at(now));
}

TEST(lease_machine, p2_is_valid_until_n_and_not_at_n) {
    const auto machine = granted();
    EXPECT_EQ(machine.deadline(), at(30'000 - 302 - 1500));
    EXPECT_TRUE(machine.valid(at(28'197.999)));
    EXPECT_FALSE(machine.valid(at(28'198)));
}

TEST(lease_machine, p2_is_lost_at_n_without_an_answer) {
    auto machine = granted();
    EXPECT_EQ(words(machine, tick_at(machine, 10'000)), "renewing, renew 30000, @28198");
    EXPECT_EQ(words(machine, tick_at(machine, 28'198)), "lost, tell expired");
}

TEST(lease_machine, p2_is_not_valid_after_a_long_stop_without_a_tick) {
    const auto machine = granted();
    EXPECT_FALSE(machine.valid(at(3'600'000)));
}

TEST(lease_machine, p2_counts_a_renewal_from_the_time_it_was_sent) {
    auto machine = granted();
    tick_at(machine, 10'000);
    renewed_at(machine, 14'000, 10'001, 30s);
    EXPECT_EQ(machine.deadline(), at(10'001 + 28'198));
}

TEST(lease_machine, p2_releases_a_renewal_that_is_answered_after_the_loss) {
    auto machine = granted();
    tick_at(machine, 10'000);
    tick_at(machine, 28'198);
    EXPECT_EQ(words(machine, renewed_at(machine, 28'300, 10'000, 30s)), "lost, release");
    EXPECT_FALSE(machine.valid(at(28'300)));
}

TEST(lease_machine, p2_releases_a_renewal_whose_answer_arrives_at_n) {
    auto machine = granted();
    tick_at(machine, 10'000);
    EXPECT_EQ(words(machine, renewed_at(machine, 28'198, 10'000, 30s)),
              "lost, release, tell expired");
}

TEST(lease_machine, renews_at_each_third) {
    auto machine = granted();
    EXPECT_EQ(tick_at(machine, 0).wake, at(10'000));
    EXPECT_FALSE(tick_at(machine, 9'999).renew);
    EXPECT_TRUE(tick_at(machine, 10'000).renew);
    EXPECT_EQ(renewed_at(machine, 10'020, 10'005, 30s).wake, at(20'005));
    EXPECT_TRUE(tick_at(machine, 20'005).renew);
}

TEST(lease_machine, sends_no_second_renewal_while_one_is_in_flight) {
    auto machine = granted();
    tick_at(machine, 10'000);
    for (const auto now : {10'001.0, 15'000.0, 20'000.0, 28'197.0}) {
        EXPECT_FALSE(tick_at(machine, now).renew) << now;
    }
}

TEST(lease_machine, is_not_renewed_if_renewal_is_off) {
    auto machine = granted({.lease = 30s, .renew = false});
    EXPECT_EQ(words(machine, tick_at(machine, 10'000)), "held, @28198");
}

TEST(lease_machine, p2_retries_unknown_renewals_until_n) {
    auto machine = granted();
    auto now = 10'000.0;
    auto tries = 0;
    auto reports = 0;
    for (;;) {
        const auto actions = tick_at(machine, now);
        if (machine.state() == state::lost) { break; }
        ASSERT_TRUE(actions.renew) << now;
        ++tries;
        const auto after = machine.on({renewal_unknown, {}, {}}, at(now + 1));
        reports += after.report_trouble ? 1 : 0;
        now = std::chrono::duration<double, std::milli>(after.wake - at(0)).count();
    }
    EXPECT_EQ(now, 28'198);
    EXPECT_EQ(reports, 1) << "the failure is reported once";
    EXPECT_GT(tries, 30);
    EXPECT_LT(tries, 100) << "P9: a stated limit, at most one in 20 ms at the very end";
}

TEST(lease_machine, reports_recovery_once) {
    auto machine = granted();
    tick_at(machine, 10'000);
    EXPECT_TRUE(machine.on({renewal_unknown, {}, {}}, at(10'100)).report_trouble);
    tick_at(machine, 11'100);
    EXPECT_FALSE(machine.on({renewal_unknown, {}, {}}, at(11'200)).report_trouble);
    tick_at(machine, 12'200);
    EXPECT_TRUE(renewed_at(machine, 12'201, 12'200, 30s).report_recovered);
    tick_at(machine, 22'200);
    EXPECT_FALSE(renewed_at(machine, 22'201, 22'200, 30s).report_recovered);
}

TEST(lease_machine, a_shorter_extension_lowers_the_deadline_when_it_is_sent) {
    auto machine = granted();
    EXPECT_EQ(words(machine, extend_at(machine, 1000, 5s)), "renewing, renew 5000, @5698");
    EXPECT_EQ(machine.deadline(), at(1000 + 5000 - 52 - 250));
    machine.on({renewal_unknown, {}, {}}, at(1100));
    EXPECT_EQ(machine.deadline(), at(5698));
}

TEST(lease_machine, a_longer_extension_counts_only_when_it_is_answered) {
    auto machine = granted();
    extend_at(machine, 1000, 60s);
    EXPECT_EQ(machine.deadline(), at(28'198));
    EXPECT_EQ(renewed_at(machine, 1010, 1001, 60s).wake, at(1001 + 20'000));
    EXPECT_EQ(machine.deadline(), at(1001 + 60'000 - 602 - 3000));
}

TEST(lease_machine, p1_an_older_longer_renewal_does_not_outlast_a_newer_shorter_extension) {
    auto machine = granted();
    tick_at(machine, 10'000);
    extend_at(machine, 10'001, 5s);
    renewed_at(machine, 10'010, 10'000, 30s);
    EXPECT_EQ(machine.deadline(), at(10'001 + 4698));
    renewed_at(machine, 10'011, 10'001, 5s);
    EXPECT_EQ(machine.state(), state::held);
    EXPECT_EQ(machine.deadline(), at(10'001 + 4698));
}

// The engine has processed the renewal and the short extension; the long one may never arrive.
TEST(lease_machine, p1_an_older_renewal_counts_for_no_more_than_any_in_flight) {
    auto machine = granted();
    tick_at(machine, 10'000);
    extend_at(machine, 10'001, 5s);
    extend_at(machine, 10'002, 60s);
    renewed_at(machine, 10'010, 10'000, 30s);
    EXPECT_EQ(machine.deadline(), at(10'001 + 4698));
    renewed_at(machine, 10'011, 10'001, 5s);
    EXPECT_EQ(machine.deadline(), at(10'001 + 4698));
    renewed_at(machine, 10'012, 10'002, 60s);
    EXPECT_EQ(machine.deadline(), at(10'002 + 56'398)) << "the newest counts in full";
}

TEST(lease_machine, max_hold_shortens_the_last_renewal_and_ends_the_lease) {
    auto machine = granted({.lease = 30s, .max_hold = 45s});
    EXPECT_EQ(tick_at(machine, 10'000).renew_for, 30s);
    renewed_at(machine, 10'001, 10'000, 30s);
    EXPECT_EQ(tick_at(machine, 20'000).renew_for, 25s) << "only to the end";
    EXPECT_EQ(words(machine, renewed_at(machine, 20'001, 20'000, 25s)), "held, @43498");
    EXPECT_FALSE(tick_at(machine, 40'000).renew) << "nothing could be added";
    EXPECT_EQ(words(machine, tick_at(machine, 43'498)), "lost, tell max_hold");
}

TEST(lease_machine, max_hold_ends_a_lease_that_the_engine_granted_for_longer) {
    lease_machine machine{{.lease = 30s, .max_hold = 10s}, {at(0), 30s, false}};
    EXPECT_EQ(words(machine, tick_at(machine, 9'999)), "held, @10000");
    EXPECT_EQ(words(machine, tick_at(machine, 10'000)), "lost, tell max_hold");
}

TEST(lease_machine, a_shorter_extension_expires_for_another_reason_than_max_hold) {
    auto machine = granted({.lease = 30s, .max_hold = 30s});
    extend_at(machine, 1000, 5s);
    EXPECT_EQ(words(machine, tick_at(machine, 5698)), "lost, tell expired");
}

TEST(lease_machine, p2_a_hand_off_counts_for_its_short_time_only_until_it_is_renewed) {
    auto machine = handed_off();
    EXPECT_EQ(machine.deadline(), at(2000 - 22 - 100));
    EXPECT_EQ(words(machine, tick_at(machine, 780)), "held, @900") << "it may be over by then";
    EXPECT_EQ(words(machine, tick_at(machine, 900)), "renewing, renew 30000, @1878");
    renewed_at(machine, 920, 901, 30s);
    EXPECT_EQ(machine.deadline(), at(901 + 28'198));
}

TEST(lease_machine, p2_a_hand_off_keeps_the_requested_margin) {
    const auto machine = handed_off({.lease = 30s, .margin = 700ms});
    EXPECT_EQ(machine.deadline(), at(2000 - 22 - 700));
}

TEST(lease_machine, a_hand_off_without_renewals_is_renewed_at_once_and_only_once) {
    auto machine = handed_off({.lease = 30s, .renew = false});
    EXPECT_EQ(words(machine, tick_at(machine, 900)), "renewing, renew 30000, @1878");
    machine.on({renewal_unknown, {}, {}}, at(1000));
    EXPECT_TRUE(tick_at(machine, 1088).renew);
    EXPECT_EQ(renewed_at(machine, 1100, 1090, 30s).wake, at(1090 + 28'198)) << "and only once";
}

// With the pause of a 30 s lease the second try would come after the end.
TEST(lease_machine, an_unknown_renewal_of_a_hand_off_is_retried_before_it_expires) {
    auto machine = handed_off();
    tick_at(machine, 780);
    tick_at(machine, 900);
    const auto actions = machine.on({renewal_unknown, {}, {}}, at(1000));
    EXPECT_LT(actions.wake, at(1150));
    EXPECT_TRUE(tick_at(machine, 1150).renew);
}

TEST(lease_machine, a_hand_off_with_max_hold_ends_there) {
    auto machine = handed_off({.lease = 30s, .max_hold = 10s});
    tick_at(machine, 780);
    EXPECT_EQ(tick_at(machine, 900).renew_for, 9'100ms);
    renewed_at(machine, 910, 901, 9'100ms);
    EXPECT_EQ(words(machine, tick_at(machine, 9'800)), "lost, tell max_hold");
}

TEST(lease_machine, is_not_valid_once_the_release_is_sent) {
    auto machine = granted();
    EXPECT_EQ(words(machine, machine.on({release, at(5'000), {}}, at(100))), "releasing, release");
    EXPECT_FALSE(machine.valid(at(100)));
}

TEST(lease_machine, p5_a_release_without_an_answer_is_resent_until_its_deadline) {
    auto machine = granted();
    machine.on({release, at(5'000), {}}, at(0));
    auto sent = 1;
    auto now = at(100);
    while (machine.state() == state::releasing) {
        const auto actions = machine.on({release_unknown, {}, {}}, now);
        if (machine.state() != state::releasing) { break; }
        ASSERT_GT(actions.wake, now);
        ASSERT_LE(actions.wake, at(5'000));
        const auto retry = machine.on({tick, {}, {}}, actions.wake);
        sent += retry.release ? 1 : 0;
        now = actions.wake + 100ms;
    }
    EXPECT_EQ(machine.ending(), ending::unknown);
    EXPECT_GT(sent, 5);
    EXPECT_LT(sent, 60);
}

// Any event may come in between: a broken notice, the answer to a renewal in flight.
TEST(lease_machine, another_event_does_not_cancel_the_resending_of_a_release) {
    for (const auto event : {taken, gone, renewed, renewal_unknown, extend, abandon, release}) {
        auto machine = granted();
        machine.on({release, at(5'000), {}}, at(0));
        const auto due = machine.on({release_unknown, {}, {}}, at(100)).wake;
        const auto actions = machine.on({event, at(0), 30s}, at(110));
        EXPECT_EQ(actions.wake, due) << static_cast<int>(event);
        EXPECT_TRUE(machine.on({tick, {}, {}}, due).release) << static_cast<int>(event);
    }
}

TEST(lease_machine, p4_a_release_reports_its_result) {
    const auto end_of = [](lease_event answer) {
        auto machine = granted();
        machine.on({release, at(5'000), {}}, at(0));
        machine.on({answer, {}, {}}, at(100));
        return machine.ending();
    };
    EXPECT_EQ(end_of(release_done), ending::released);
    EXPECT_EQ(end_of(release_void), ending::not_held);
    EXPECT_EQ(end_of(release_refused), ending::refused);
}

TEST(lease_machine, p2_a_broken_lock_is_reported_at_once_and_sends_nothing_more) {
    auto machine = granted();
    tick_at(machine, 10'000);
    EXPECT_EQ(words(machine, machine.on({taken, {}, {}}, at(10'001))), "lost, tell taken");
    EXPECT_FALSE(machine.valid(at(10'001)));
    EXPECT_EQ(words(machine, machine.on({gone, {}, {}}, at(10'002))), "lost");
    EXPECT_EQ(words(machine, machine.on({release, at(20'000), {}}, at(10'003))), "lost");
}

TEST(lease_machine, p2_a_lock_that_the_engine_lost_is_reported_at_the_next_renewal) {
    auto machine = granted();
    tick_at(machine, 10'000);
    EXPECT_EQ(words(machine, machine.on({gone, {}, {}}, at(10'001))), "lost, tell taken");
}

TEST(lease_machine, the_hold_of_a_thread_that_ended_is_not_renewed) {
    auto machine = granted();
    EXPECT_EQ(words(machine, machine.on({abandon, {}, {}}, at(500))), "lost, tell thread_exited");
    EXPECT_EQ(words(machine, tick_at(machine, 10'000)), "lost");
}

} // namespace
} // namespace holdfast::machine
