// How long a holder waits for the answer to a renewal, and to a release in the background.

#include "holdfast/machine/lease_machine.hpp"
#include "unit/machine_words.hpp"

#include <gtest/gtest.h>

// compiled alone: other files of the folder have helpers of the same names

namespace holdfast::machine {
namespace {

using namespace std::chrono_literals;
using base::milliseconds;
using base::never;
using state = lease_state;
using enum lease_event;

lease_machine granted(milliseconds lease) {
    return {{.lease = lease}, {.sent = at(0), .granted_for = lease}};
}
lease_machine handed_off() {
    return {{.lease = 30s}, {.sent = at(0), .granted_for = 2s, .provisional = true}};
}
double ms(base::instant when) {
    return std::chrono::duration<double, std::milli>(when - at(0)).count();
}

TEST(lease_time_outs, a_renewal_may_take_half_of_the_time_left) {
    auto usual = granted(3s); // valid until 2818
    EXPECT_EQ(usual.on({tick, {}, {}}, at(1000)).renew_by, at(1909));
    auto shortest = granted(100ms); // valid until 63.7
    EXPECT_NEAR(ms(shortest.on({tick, {}, {}}, at(34)).renew_by), 54, 0.1) << "20 ms at least";
    auto handed = handed_off(); // valid until 1878
    handed.on({tick, {}, {}}, at(100));
    EXPECT_EQ(handed.on({tick, {}, {}}, at(220)).renew_by, at(220 + 829));
    auto late = granted(3s);
    EXPECT_EQ(late.on({extend, {}, 3s}, at(2810)).renew_by, at(2818))
        << "an answer after N is none";
}

// P2: one connection is dead, and the next one works.
TEST(lease_time_outs, one_dead_connection_leaves_time_for_another_try) {
    for (const auto lease : {100ms, 155ms, 300ms, 1000ms, 3000ms, 10'000ms}) {
        for (const auto margin : {0ms, lease / 2 - 1ms}) {
            lease_machine machine{{.lease = lease, .margin = margin}, {at(0), lease, false}};
            const auto third = at(static_cast<double>(lease.count()) / 3);
            if (machine.deadline() - third < 30ms) { continue; } // 20 ms are the least to wait
            const auto first = machine.on({tick, {}, {}}, third);
            ASSERT_TRUE(first.renew);
            const auto next = machine.on({renewal_unknown, {}, {}}, first.renew_by);
            ASSERT_TRUE(machine.valid(first.renew_by)) << lease.count();
            const auto retry = machine.on({tick, {}, {}}, next.wake);
            ASSERT_TRUE(retry.renew) << lease.count() << ' ' << margin.count();
            EXPECT_GE(machine.deadline() - next.wake, 5ms) << "to be answered";
            machine.on({renewed, next.wake, lease}, next.wake + 1ms);
            EXPECT_EQ(machine.state(), state::held);
        }
    }
}

TEST(lease_time_outs, a_release_without_a_deadline_is_resent_until_the_lease_has_ended) {
    auto machine = granted(10s);
    machine.on({tick, {}, {}}, at(3'400)); // the engine may end it at 13400, by its own clock
    EXPECT_EQ(words(machine, machine.on({release, never, {}}, at(3'500))), "releasing, release");
    EXPECT_EQ(machine.release_deadline(), at(13'400 + 102));
    auto now = at(3'600);
    auto sent = 1;
    while (machine.state() == state::releasing) {
        const auto actions = machine.on({release_unknown, {}, {}}, now);
        if (machine.state() != state::releasing) { break; }
        sent += machine.on({tick, {}, {}}, actions.wake).release ? 1 : 0;
        now = actions.wake + 1ms;
    }
    EXPECT_EQ(machine.ending(), lease_ending::unknown);
    EXPECT_GE(now, at(13'502));
    EXPECT_LT(sent, 100) << "P9";
}

TEST(lease_time_outs, a_release_of_a_hand_off_is_resent_while_the_hand_off_may_last) {
    auto machine = handed_off();
    machine.on({tick, {}, {}}, at(900)); // the notice arrives late
    machine.on({release, never, {}}, at(910));
    EXPECT_GE(machine.release_deadline(), at(900 + 2'000));
}

TEST(lease_time_outs, a_new_acquire_resends_a_pending_release_at_once) {
    auto machine = granted(10s);
    machine.on({release, never, {}}, at(100));
    EXPECT_EQ(words(machine, machine.on({hurry, {}, {}}, at(110))), "releasing")
        << "it is in flight";
    machine.on({release_unknown, {}, {}}, at(120));
    EXPECT_TRUE(machine.must_resend_release());
    EXPECT_EQ(words(machine, machine.on({hurry, {}, {}}, at(130))), "releasing, release");
    EXPECT_FALSE(machine.must_resend_release());
    EXPECT_EQ(words(machine, machine.on({release_done, {}, {}}, at(140))), "ended, released");
}

} // namespace
} // namespace holdfast::machine
