// What a waiter does, in stories: each says which promise it keeps. How notices and answers may
// overtake one another is in waiter_machine_order_test.cpp.

#include "holdfast/machine/waiter_machine.hpp"

#include "unit/machine_words.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace holdfast::machine {
namespace {

using namespace std::chrono_literals;
using base::milliseconds;
using base::never;
using state = wait_state;
using outcome = waiter_machine::outcome;
using enum wait_event;

constexpr wait_plan for_ever{.may_wait = true};
constexpr wait_plan one_try{.may_wait = false, .once = true, .connect_wait = milliseconds{1000}};
constexpr wait_plan until(double ms) { return {.may_wait = true, .give_up = at(ms)}; }

/// A waiter and what it last wanted.
struct waiter {
    explicit waiter(const wait_plan& plan) : machine{plan} {}
    std::string operator()(wait_event event, double now) {
        return feed({.event = event, .token = 7, .sent = at(now)}, now);
    }
    std::string feed(const wait_input& input, double now) {
        todo = machine.on(input, at(now));
        return words(machine, todo);
    }
    waiter_machine machine;
    waiter_machine::actions todo;
};

TEST(waiter_machine, a_free_lock_is_granted_by_the_first_answer) {
    waiter one{for_ever};
    EXPECT_EQ(one(start, 0), "asking, ask until 5000");
    EXPECT_EQ(one(granted, 3), "done, tell granted 30000 since 0");
    EXPECT_EQ(one.machine.granted().token, 7U);
}

TEST(waiter_machine, one_try_that_finds_it_held_is_busy_and_leaves_nothing_behind) {
    waiter one{one_try};
    one(start, 0);
    EXPECT_EQ(one(busy, 3), "done, tell busy");
}

TEST(waiter_machine, p5_an_acquire_is_of_no_use_after_the_callers_patience) {
    waiter patient{until(60'000)};
    EXPECT_EQ(patient(start, 0), "asking, ask until 5000, @60000");
    waiter hasty{until(200)};
    EXPECT_EQ(hasty(start, 0), "asking, ask until 200, @200");
}

TEST(waiter_machine, p7_beats_twice_a_second_in_front_and_about_once_behind) {
    for (const auto& [ahead, pause] : {std::pair{0U, 500}, {3U, 500}, {4U, 950}, {900U, 950}}) {
        waiter one{for_ever};
        one(start, 0);
        one.feed({.event = queued, .ahead = ahead}, 10);
        EXPECT_EQ(one.todo.wake, at(10 + pause)) << ahead;
        one(tick, 10 + pause);
        EXPECT_TRUE(one.todo.beat);
        one.feed({.event = beat_queued, .sent = at(10 + pause), .ahead = ahead}, 2000);
        EXPECT_EQ(one.todo.wake, at(2000 + pause)) << ahead;
    }
}

TEST(waiter_machine, beats_earlier_if_the_engine_says_when_to_look) {
    waiter one{for_ever};
    one(start, 0);
    one.feed({.event = queued, .check_in = 120ms}, 10);
    EXPECT_EQ(one.todo.wake, at(130));
    one.feed({.event = beat_queued, .sent = at(130), .check_in = 1ns}, 140);
    EXPECT_EQ(one.todo.wake, at(145)) << "P9: but not in a hot loop";
    one.feed({.event = beat_queued, .sent = at(145), .check_in = 10s}, 150);
    EXPECT_EQ(one.todo.wake, at(650)) << "and never later than usual";
}

TEST(waiter_machine, sends_one_beat_at_a_time) {
    waiter one{for_ever};
    one(start, 0);
    one(queued, 10);
    EXPECT_EQ(one(tick, 510), "queued, beat, @1460");
    EXPECT_EQ(one(tick, 1460), "queued, @2410");
    EXPECT_EQ(one(push_reset, 1500), "queued, @2450");
    one(beat_queued, 1600);
    EXPECT_EQ(one(tick, 2100), "queued, beat, @3050");
}

TEST(waiter_machine, p7_beats_at_once_when_notices_may_have_been_missed) {
    waiter one{for_ever};
    one(start, 0);
    one(queued, 10);
    EXPECT_EQ(one(push_reset, 100), "queued, beat, @1050");
}

TEST(waiter_machine, asks_again_when_the_queue_does_not_know_it) {
    waiter one{for_ever};
    one(start, 0);
    one(queued, 10);
    one(tick, 510);
    EXPECT_EQ(one(beat_lost, 520), "asking, ask until 5520");
    EXPECT_EQ(one(granted, 530), "done, tell granted 30000 since 520");
}

TEST(waiter_machine, asks_again_where_the_engine_only_hints) {
    waiter one{for_ever};
    one(start, 0);
    one(queued, 10);
    EXPECT_EQ(one(push_maybe_free, 300), "asking, ask until 5300");
    EXPECT_EQ(one(queued, 310), "queued, @810");
    EXPECT_EQ(one(push_maybe_free, 400), "asking, ask until 5400");
    EXPECT_EQ(one(granted, 410), "done, tell granted 30000 since 400");
}

TEST(waiter_machine, asks_now_and_then_where_the_engine_has_no_queue) {
    waiter one{until(1000)};
    one(start, 0);
    EXPECT_EQ(one(busy, 10), "pausing, @60");
    EXPECT_EQ(one(tick, 60), "asking, ask until 1000, @1000");
    EXPECT_EQ(one(busy, 980), "pausing, @1000");
    EXPECT_EQ(one(tick, 1000), "done, tell timed_out");
}

TEST(waiter_machine, p5_a_resent_acquire_counts_from_the_first_send) {
    waiter one{for_ever};
    one(start, 0);
    one(unknown, 900);
    one(tick, 1000);
    EXPECT_EQ(one(granted, 1010), "done, tell granted 30000 since 0");
}

TEST(waiter_machine, p5_a_try_that_surely_did_not_happen_does_not_make_an_earlier_one_younger) {
    waiter one{for_ever};
    one(start, 0);
    one(unknown, 900);
    one(tick, 1000);
    one(unavailable, 1001);
    one(tick, 1101);
    EXPECT_EQ(one(granted, 1110), "done, tell granted 30000 since 0");
}

TEST(waiter_machine, an_acquire_that_surely_did_not_happen_counts_from_the_next_send) {
    waiter one{for_ever};
    one(start, 0);
    one(unavailable, 10);
    one(tick, 110);
    EXPECT_EQ(one(granted, 120), "done, tell granted 30000 since 110");
}

TEST(waiter_machine, an_engine_that_is_away_is_tried_for_connect_wait_and_no_longer) {
    waiter one{for_ever};
    one(start, 0);
    auto now = 0.0;
    auto tries = 1;
    while (one.machine.state() != state::done) {
        ASSERT_LE(now, 5000);
        one(unavailable, now + 1);
        now = std::chrono::duration<double, std::milli>(one.todo.wake - at(0)).count();
        one(tick, now);
        tries += one.todo.ask ? 1 : 0;
    }
    EXPECT_EQ(one.machine.result(), outcome::unavailable);
    EXPECT_EQ(now, 5000);
    EXPECT_GT(tries, 40) << "P9: ten a second";
    EXPECT_FALSE(one.machine.outcome_unknown());
}

TEST(waiter_machine, p9_a_request_of_an_engine_in_trouble_does_not_outlast_connect_wait) {
    waiter one{for_ever};
    one(start, 0);
    one(unavailable, 4'200);
    EXPECT_EQ(one(tick, 4'300), "asking, ask until 5000, @5000");
    EXPECT_EQ(one(tick, 5'000), "withdrawing, withdraw, tell unavailable");
}

TEST(waiter_machine, p5_a_try_is_one_attempt) {
    waiter refused_connection{one_try};
    EXPECT_EQ(refused_connection(start, 0), "asking, ask until 1000");
    EXPECT_EQ(refused_connection(unavailable, 1), "done, tell unavailable");

    waiter unheard{one_try};
    unheard(start, 0);
    EXPECT_EQ(unheard(unknown, 1000), "withdrawing, withdraw, tell unavailable");
}

TEST(waiter_machine, a_try_on_a_connection_that_breaks_has_another_one_once) {
    waiter one{one_try};
    one(start, 0);
    EXPECT_EQ(one.feed({.event = unknown, .retry_now = true}, 3), "asking, ask until 1000, @1000");
    EXPECT_EQ(one(granted, 5), "done, tell granted 30000 since 0");

    waiter twice{one_try};
    twice(start, 0);
    twice.feed({.event = unavailable, .retry_now = true}, 3);
    EXPECT_EQ(twice.feed({.event = unavailable, .retry_now = true}, 5), "done, tell unavailable");

    waiter lost{one_try};
    lost(start, 0);
    lost.feed({.event = unknown, .retry_now = true}, 3);
    EXPECT_EQ(lost(unavailable, 5), "withdrawing, withdraw, tell unavailable")
        << "the first may have arrived";
}

TEST(waiter_machine, one_attempt_is_enough_for_a_wait_that_wants_no_more) {
    waiter one{{.may_wait = true, .once = true, .connect_wait = milliseconds{1000}}};
    one(start, 0);
    EXPECT_EQ(one(unavailable, 1), "done, tell unavailable");

    waiter heard{{.may_wait = true, .once = true, .connect_wait = milliseconds{1000}}};
    heard(start, 0);
    heard(queued, 2);
    heard(tick, 502);
    EXPECT_EQ(heard.feed({.event = beat_unknown, .sent = at(502)}, 510), "queued, @610");
    EXPECT_EQ(heard.feed({.event = beat_unknown, .sent = at(610)}, 1'502),
              "withdrawing, withdraw, tell unavailable");
}

TEST(waiter_machine, connect_wait_begins_anew_with_each_answer) {
    waiter one{for_ever};
    one(start, 0);
    one(unavailable, 4'000);
    one(tick, 4'100);
    one(queued, 4'110);
    one(tick, 4'610);
    EXPECT_EQ(one(beat_unknown, 5'600), "queued, @5700");
    one(tick, 5'700);
    EXPECT_EQ(one(beat_queued, 5'710), "queued, @6210");
    one(tick, 6'210);
    one(beat_unknown, 7'200);
    EXPECT_EQ(one(beat_unknown, 12'199), "queued, @12200");
    EXPECT_EQ(one(beat_unknown, 12'200), "withdrawing, withdraw, tell unavailable");
}

TEST(waiter_machine, p5_patience_that_ends_without_a_word_from_the_engine_is_not_contention) {
    waiter unheard{until(500)};
    unheard(start, 0);
    EXPECT_EQ(unheard(tick, 500), "withdrawing, withdraw, tell unavailable");
    EXPECT_TRUE(unheard.machine.outcome_unknown());

    waiter refused_connection{until(500)};
    refused_connection(start, 0);
    refused_connection(unavailable, 1);
    EXPECT_EQ(refused_connection(tick, 500), "done, tell unavailable");

    waiter gone_since{until(5'000)};
    gone_since(start, 0);
    gone_since(queued, 10);
    gone_since(beat_unknown, 1'000);
    EXPECT_EQ(gone_since(tick, 5'000), "withdrawing, withdraw, tell unavailable");
}

TEST(waiter_machine, p5_patience_shorter_than_a_round_trip_still_waits_for_the_first_answer) {
    waiter in_line{until(1)};
    EXPECT_EQ(in_line(start, 0), "asking, ask until 100, @100") << "if it is on its way";
    EXPECT_EQ(in_line(tick, 1), "asking, @100");
    in_line(queued, 20);
    EXPECT_EQ(in_line(tick, 20), "withdrawing, withdraw, tell timed_out");

    waiter unheard{until(1)};
    unheard(start, 0);
    EXPECT_EQ(unheard(tick, 100), "withdrawing, withdraw, tell unavailable");

    waiter refused_connection{until(30)};
    refused_connection(start, 0);
    EXPECT_EQ(refused_connection(unavailable, 2), "pausing, @30") << "not longer than was asked";
    EXPECT_EQ(refused_connection(tick, 30), "done, tell unavailable");

    waiter longer{until(150)};
    longer(start, 0);
    longer(unavailable, 2);
    EXPECT_EQ(longer(tick, 102), "asking, ask until 150, @150") << "the moment is over";
}

TEST(waiter_machine, patience_that_ends_soon_after_the_engines_last_word_is_contention) {
    waiter in_line{until(500)};
    in_line(start, 0);
    in_line(queued, 10);
    EXPECT_EQ(in_line(tick, 500), "withdrawing, withdraw, tell timed_out");

    waiter asking_once_more{until(500)};
    asking_once_more(start, 0);
    asking_once_more(busy, 10);
    asking_once_more(tick, 60);
    asking_once_more(busy, 440);
    asking_once_more(tick, 495);
    asking_once_more(unknown, 500);
    EXPECT_EQ(asking_once_more(tick, 500), "withdrawing, withdraw, tell timed_out");
}

TEST(waiter_machine, p8_a_cancelled_wait_leaves_the_queue_in_each_state) {
    const std::vector<std::pair<std::vector<wait_event>, const char*>> ways{
        {{start}, "withdrawing, withdraw, tell cancelled"},
        {{start, queued}, "withdrawing, withdraw, tell cancelled"},
        {{start, unknown}, "withdrawing, withdraw, tell cancelled"},
        {{start, busy}, "done, tell cancelled"},
        {{start, unavailable}, "done, tell cancelled"},
        {{start, unknown, tick, unavailable}, "withdrawing, withdraw, tell cancelled"},
        {{start, unknown, tick, busy}, "withdrawing, withdraw, tell cancelled"},
    };
    for (const auto& [way, expected] : ways) {
        waiter one{for_ever};
        auto now = 0.0;
        for (const auto event : way) { one(event, now += 200); }
        EXPECT_EQ(one(cancel, now + 1), expected);
        EXPECT_EQ(one(cancel, now + 2).find("tell"), std::string::npos) << "told once";
    }
}

TEST(waiter_machine, p5_a_single_try_withdraws_what_an_unanswered_acquire_may_have_left) {
    waiter one{one_try};
    one(start, 0);
    one.feed({.event = unknown, .retry_now = true}, 100);
    EXPECT_EQ(one(busy, 210), "withdrawing, withdraw, tell busy");

    waiter other{one_try};
    other(start, 0);
    other.feed({.event = unknown, .retry_now = true}, 100);
    EXPECT_EQ(other(refused, 210), "withdrawing, withdraw, tell refused");
}

TEST(waiter_machine, p5_withdraws_again_when_a_lost_acquire_can_arrive_no_more) {
    waiter one{for_ever};
    one(start, 0);
    one(unknown, 100);
    one(cancel, 150);
    EXPECT_EQ(one(withdrawn, 160), "withdrawing, @5100") << "it was sent to count until 5000";
    EXPECT_EQ(one(tick, 5100), "withdrawing, withdraw");
    EXPECT_EQ(one(withdrawn, 5110), "done");

    waiter other{for_ever};
    other(start, 0);
    other(cancel, 50);
    other(unknown, 60); // the connection was lost meanwhile
    EXPECT_EQ(other(withdrawn, 70), "withdrawing, withdraw");
    EXPECT_EQ(other(withdrawn, 80), "withdrawing, @5100");
}

TEST(waiter_machine, p8_a_withdrawal_is_sent_again_until_the_queue_has_dropped_the_waiter_anyway) {
    waiter one{for_ever};
    one(start, 0);
    one(queued, 10);
    one(cancel, 100);
    EXPECT_EQ(one(withdraw_failed, 200), "withdrawing, @300");
    EXPECT_EQ(one(tick, 300), "withdrawing, withdraw");
    EXPECT_EQ(one(withdraw_failed, 5099), "withdrawing, @5199");
    EXPECT_EQ(one(tick, 5199), "withdrawing, withdraw");
    EXPECT_EQ(one(withdraw_failed, 5200), "done, tell withdraw_failed");
}

TEST(waiter_machine, p8_a_withdrawal_of_what_may_be_held_is_sent_again_until_its_lease_has_ended) {
    waiter one{one_try};
    one(start, 0);
    one(unknown, 1'000);
    EXPECT_EQ(one(withdraw_failed, 30'999), "withdrawing, @31099");
    one(tick, 31'099);
    EXPECT_EQ(one(withdraw_failed, 31'100), "done, tell withdraw_failed");
}

TEST(waiter_machine, a_withdrawal_that_failed_is_sent_before_its_time_for_one_who_asks_anew) {
    waiter one{for_ever};
    one(start, 0);
    one(cancel, 10);
    EXPECT_EQ(one(hurry, 20), "withdrawing") << "it is on its way";
    one(withdraw_failed, 30);
    EXPECT_TRUE(one.machine.must_resend_withdraw());
    EXPECT_EQ(one(hurry, 40), "withdrawing, withdraw");
    EXPECT_FALSE(one.machine.must_resend_withdraw());
    EXPECT_EQ(one(withdrawn, 50), "done");
}

} // namespace
} // namespace holdfast::machine
