// The dispatcher submits each request and delivers each answer once, also when the engine throws or
// memory runs out.

#include "holdfast/drive/dispatcher.hpp"

#include "unit/fake_engine.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace holdfast::drive {
namespace {

using namespace std::chrono_literals;
using seam = test::fake_state;
using engine::op_status;
using kind = engine::notice::kind;
using lines = test::noting_participant::lines;

class dispatcher_test : public testing::Test {
protected:
    dispatcher_test() { clock_.refresh(); }

    void ask(purpose purpose = purpose::acquire) {
        dispatcher_.send(
            *participant_, purpose, [] { return engine::op{engine::diagnose_op{}}; },
            time_.at + 5s);
    }
    void beat(base::milliseconds lease = 3s) {
        dispatcher_.beat(
            *participant_, lease,
            [&] {
                return engine::beat_op::item{{}, false, lease};
            },
            time_.at + 1s);
    }
    void pass(base::duration time) {
        time_.at += time;
        clock_.refresh();
    }

    test::set_clock time_;
    seam state_;
    turn_clock clock_{time_};
    guarded_engine engine_{std::make_unique<test::fake_engine>(state_)};
    client_metrics metrics_;
    dispatcher dispatcher_{engine_, clock_, metrics_};
    std::shared_ptr<test::noting_participant> participant_ =
        std::make_shared<test::noting_participant>();
};

TEST_F(dispatcher_test, submits_at_once_and_delivers_the_answer_when_it_settles) {
    state_.on_submit = [&](engine::op_id id) { state_.answer(id, op_status::granted); };
    ask();
    ASSERT_EQ(state_.submitted.size(), 1U);
    EXPECT_EQ(state_.submitted[0].give_up, time_.at + 5s);
    EXPECT_EQ(participant_->take(), lines{}) << "not inside the call";
    EXPECT_FALSE(dispatcher_.idle());
    EXPECT_TRUE(dispatcher_.settle());
    EXPECT_EQ(participant_->take(), (lines{"answer to acquire: granted"}));
    EXPECT_TRUE(dispatcher_.idle());
    EXPECT_FALSE(dispatcher_.settle()) << "nothing was submitted since";
}

TEST_F(dispatcher_test, drives_the_engine_before_settle_returns) {
    ask();
    state_.on_drive = [&](auto) { state_.answer(1, op_status::granted); };
    dispatcher_.settle();
    EXPECT_EQ(state_.drives, 1);
    EXPECT_EQ(participant_->take(), (lines{"answer to acquire: granted"}));
}

TEST_F(dispatcher_test, delivers_an_answer_once) {
    ask();
    state_.answer(1, op_status::granted);
    state_.answer(1, op_status::granted);
    state_.answer(7, op_status::granted); // to nobody
    dispatcher_.settle();
    EXPECT_EQ(participant_->take(), (lines{"answer to acquire: granted"}));
}

TEST_F(dispatcher_test, settles_requests_that_participants_make_during_a_delivery) {
    state_.on_submit = [&](engine::op_id id) { state_.answer(id, op_status::released); };
    participant_->on_call = [&, asked = false]() mutable {
        if (std::exchange(asked, true)) { return; }
        ask(purpose::release);
        EXPECT_FALSE(dispatcher_.settle()) << "it is settling";
    };
    ask(purpose::withdraw);
    dispatcher_.settle();
    EXPECT_EQ(participant_->take(),
              (lines{"answer to withdraw: released", "answer to release: released"}));
}

TEST_F(dispatcher_test, refreshes_the_clock_before_it_delivers_answers) { // P2
    ask();
    state_.answer(1, op_status::granted);
    time_.at += 1h; // the process was stopped
    dispatcher_.settle();
    EXPECT_EQ(clock_.now(), time_.at);
}

TEST_F(dispatcher_test, sends_all_heartbeats_of_a_turn_in_one_request) {
    beat(1s);
    beat(2s);
    EXPECT_TRUE(state_.submitted.empty());
    dispatcher_.settle();
    ASSERT_EQ(state_.submitted.size(), 1U);
    EXPECT_TRUE(dispatcher_.awaits_heartbeat());
    engine::answer both;
    both.id = 1;
    both.beats.resize(1);
    both.beats[0].status = op_status::renewed;
    state_.sink->answered(std::move(both));
    dispatcher_.settle();
    EXPECT_EQ(participant_->take(), (lines{"beat of 1000: renewed", "beat of 2000: unknown"}))
        << "the answer has no item for the second";
    EXPECT_FALSE(dispatcher_.awaits_heartbeat());
}

TEST_F(dispatcher_test, delivers_all_heartbeats_of_a_batch_whose_participants_each_send_something) {
    constexpr int count = 20; // more than there is room for in the beginning
    lines renewed;
    for (int i = 1; i <= count; ++i) {
        beat(base::milliseconds{i});
        renewed.push_back("beat of " + std::to_string(i) + ": renewed");
    }
    dispatcher_.settle();
    ASSERT_EQ(state_.submitted.size(), 1U);
    participant_->on_call = [&] { ask(); };
    engine::answer all;
    all.id = 1;
    all.beats.resize(count);
    for (auto& each : all.beats) { each.status = op_status::renewed; }
    state_.sink->answered(std::move(all));
    dispatcher_.settle();
    EXPECT_EQ(participant_->take(), renewed);
    EXPECT_EQ(state_.submitted.size(), 1U + count);
}

TEST_F(dispatcher_test, delivers_notices_to_listeners) {
    dispatcher_.notices().listen(7, *participant_);
    state_.notice(kind::granted, 7);
    state_.notice(kind::granted, 8);
    dispatcher_.settle();
    EXPECT_EQ(participant_->take(), (lines{"notice: granted"}));
    state_.notice(kind::inbox_reset, 0);
    dispatcher_.settle();
    EXPECT_EQ(participant_->take(), (lines{"notice: inbox_reset"}));
    state_.notice(kind::doubtful, 8);
    state_.notice(kind::doubtful, 7);
    dispatcher_.settle();
    EXPECT_EQ(participant_->take(), (lines{"notice: doubtful"}));
    dispatcher_.notices().unlisten(7);
    state_.notice(kind::broken, 7);
    dispatcher_.settle();
    EXPECT_EQ(participant_->take(), lines{});
}

TEST_F(dispatcher_test, runs_timers_that_are_due) {
    dispatcher_.wake_at(*participant_, time_.at + 10ms);
    EXPECT_EQ(dispatcher_.next_due(), time_.at + 10ms);
    EXPECT_FALSE(dispatcher_.timer_due());
    dispatcher_.run_timers();
    EXPECT_EQ(participant_->take(), lines{});
    pass(10ms);
    EXPECT_TRUE(dispatcher_.timer_due());
    dispatcher_.run_timers();
    EXPECT_EQ(participant_->take(), (lines{"timer"}));
    dispatcher_.run_timers();
    EXPECT_EQ(participant_->take(), lines{});
}

TEST_F(dispatcher_test, is_due_when_the_engine_is) {
    state_.due = time_.at + 30ms;
    ask();
    dispatcher_.settle();
    EXPECT_EQ(dispatcher_.next_due(), time_.at + 30ms);
    dispatcher_.wake_at(*participant_, time_.at + 10ms);
    EXPECT_EQ(dispatcher_.next_due(), time_.at + 10ms);
    dispatcher_.wake_at(*participant_, base::never);
}

TEST_F(dispatcher_test, answers_unknown_for_operations_in_flight_when_the_engine_throws) { // P5
    dispatcher_.notices().listen(7, *participant_);
    ask();
    beat();
    dispatcher_.settle();
    state_.on_submit = [](engine::op_id) { throw std::runtime_error{"no descriptors"}; };
    ask(purpose::report);
    EXPECT_EQ(state_.resets, 1);
    state_.on_submit = [](engine::op_id) {};
    dispatcher_.settle();
    EXPECT_EQ(participant_->take(), (lines{"answer to acquire: unknown",
                                           "answer to report: unknown", "beat of 3000: unknown"}));
    EXPECT_EQ(participant_->detail, "no descriptors");
    EXPECT_TRUE(dispatcher_.idle());
    EXPECT_EQ(dispatcher_.next_due(), time_.at + 20ms);
    pass(20ms);
    dispatcher_.settle();
    EXPECT_EQ(participant_->take(), (lines{"notice: inbox_reset"}))
        << "notices may be lost as well";
}

TEST_F(dispatcher_test, delivers_answers_that_the_engine_gave_before_it_threw) {
    ask();
    state_.on_drive = [&](auto) {
        state_.answer(1, op_status::granted);
        throw std::bad_alloc{};
    };
    dispatcher_.settle();
    EXPECT_EQ(participant_->take(), (lines{"answer to acquire: granted"}));
}

TEST_F(dispatcher_test, survives_an_engine_that_always_throws) {
    state_.on_submit = [](engine::op_id) { throw 7; };
    state_.on_drive = [](auto) { throw 8; };
    ask();
    dispatcher_.settle();
    EXPECT_EQ(participant_->take(), (lines{"answer to acquire: unknown"}));
    EXPECT_EQ(participant_->detail, "unknown exception");
}

TEST_F(dispatcher_test, answers_failed_or_unknown_if_an_operation_cannot_be_allocated) {
    const auto refuse = []() -> engine::op { throw std::bad_alloc{}; };
    dispatcher_.send(*participant_, purpose::acquire, refuse, time_.at);
    dispatcher_.send(*participant_, purpose::release, refuse, time_.at);
    dispatcher_.beat(
        *participant_, 3s, []() -> engine::beat_op::item { throw std::bad_alloc{}; }, time_.at);
    EXPECT_EQ(participant_->take(), lines{});
    dispatcher_.settle();
    EXPECT_EQ(participant_->take(), (lines{"answer to acquire: failed", "answer to release: failed",
                                           "beat of 3000: unknown"}));
    EXPECT_TRUE(state_.submitted.empty());
    dispatcher_.settle();
    EXPECT_EQ(participant_->take(), lines{});
    EXPECT_EQ(participant_.use_count(), 1) << "nothing is kept";
}

TEST_F(dispatcher_test, delivers_a_lost_answer_if_the_participant_has_no_memory) {
    dispatcher_.notices().listen(7, *participant_);
    ask();
    state_.answer(1, op_status::granted);
    participant_->throws = 1;
    dispatcher_.settle();
    EXPECT_EQ(participant_->take(), (lines{"answer to acquire: unknown"}));
    state_.notice(kind::granted, 7);
    participant_->throws = 1;
    dispatcher_.settle();
    EXPECT_EQ(participant_->take(), (lines{"notice: inbox_reset"}));
    beat();
    dispatcher_.settle();
    engine::answer renewed;
    renewed.id = 2;
    renewed.beats.resize(1);
    renewed.beats[0].status = op_status::renewed;
    state_.sink->answered(std::move(renewed));
    participant_->throws = 1;
    dispatcher_.settle();
    EXPECT_EQ(participant_->take(), (lines{"beat of 3000: unknown"}));
}

} // namespace
} // namespace holdfast::drive
