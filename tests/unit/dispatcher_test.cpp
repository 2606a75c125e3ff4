// What participants ask for reaches the engine, and what the engine says reaches them, once each,
// also when the engine throws or memory runs out.

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

class dispatching : public testing::Test {
protected:
    dispatching() { clock_.refresh(); }

    void ask(purpose purpose = purpose::acquire) {
        dispatcher_.send(
            *one_, purpose, [] { return engine::op{engine::diagnose_op{}}; }, time_.at + 5s);
    }
    void beat(base::milliseconds lease = 3s) {
        dispatcher_.beat(
            *one_, lease,
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
    dispatcher dispatcher_{engine_, clock_};
    std::shared_ptr<test::noting_participant> one_ = std::make_shared<test::noting_participant>();
};

TEST_F(dispatching, submits_at_once_and_delivers_the_answer_when_it_settles) {
    state_.on_submit = [&](engine::op_id id) { state_.answer(id, op_status::granted); };
    ask();
    ASSERT_EQ(state_.submitted.size(), 1U);
    EXPECT_EQ(state_.submitted[0].give_up, time_.at + 5s);
    EXPECT_EQ(one_->take(), lines{}) << "not inside the call";
    EXPECT_FALSE(dispatcher_.idle());
    EXPECT_TRUE(dispatcher_.settle());
    EXPECT_EQ(one_->take(), (lines{"answer to acquire: granted"}));
    EXPECT_TRUE(dispatcher_.idle());
    EXPECT_FALSE(dispatcher_.settle()) << "nothing was submitted since";
}

TEST_F(dispatching, lets_the_engine_act_before_it_ends) {
    ask();
    state_.on_drive = [&](auto) { state_.answer(1, op_status::granted); };
    dispatcher_.settle();
    EXPECT_EQ(state_.drives, 1);
    EXPECT_EQ(one_->take(), (lines{"answer to acquire: granted"}));
}

TEST_F(dispatching, delivers_an_answer_once) {
    ask();
    state_.answer(1, op_status::granted);
    state_.answer(1, op_status::granted);
    state_.answer(7, op_status::granted); // to nobody
    dispatcher_.settle();
    EXPECT_EQ(one_->take(), (lines{"answer to acquire: granted"}));
}

TEST_F(dispatching, settles_what_participants_ask_for_while_it_delivers) {
    state_.on_submit = [&](engine::op_id id) { state_.answer(id, op_status::released); };
    one_->on_call = [&, asked = false]() mutable {
        if (std::exchange(asked, true)) { return; }
        ask(purpose::release);
        EXPECT_FALSE(dispatcher_.settle()) << "it is at it";
    };
    ask(purpose::withdraw);
    dispatcher_.settle();
    EXPECT_EQ(one_->take(), (lines{"answer to withdraw: released", "answer to release: released"}));
}

TEST_F(dispatching, judges_answers_by_a_fresh_clock) { // P2
    ask();
    state_.answer(1, op_status::granted);
    time_.at += 1h; // the process was stopped
    dispatcher_.settle();
    EXPECT_EQ(clock_.now(), time_.at);
}

TEST_F(dispatching, sends_all_heartbeats_of_a_turn_as_one) {
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
    EXPECT_EQ(one_->take(), (lines{"beat of 1000: renewed", "beat of 2000: unknown"}))
        << "one that the answer does not mention has none";
    EXPECT_FALSE(dispatcher_.awaits_heartbeat());
}

TEST_F(dispatching, delivers_all_heartbeats_of_a_batch_whose_participants_each_send_something) {
    constexpr int count = 20; // more than there is room for in the beginning
    lines renewed;
    for (int i = 1; i <= count; ++i) {
        beat(base::milliseconds{i});
        renewed.push_back("beat of " + std::to_string(i) + ": renewed");
    }
    dispatcher_.settle();
    ASSERT_EQ(state_.submitted.size(), 1U);
    one_->on_call = [&] { ask(); };
    engine::answer all;
    all.id = 1;
    all.beats.resize(count);
    for (auto& each : all.beats) { each.status = op_status::renewed; }
    state_.sink->answered(std::move(all));
    dispatcher_.settle();
    EXPECT_EQ(one_->take(), renewed);
    EXPECT_EQ(state_.submitted.size(), 1U + count);
}

TEST_F(dispatching, delivers_notices_to_who_listens) {
    dispatcher_.notices().listen(7, *one_);
    state_.notice(kind::granted, 7);
    state_.notice(kind::granted, 8);
    dispatcher_.settle();
    EXPECT_EQ(one_->take(), (lines{"notice: granted"}));
    state_.notice(kind::inbox_reset, 0);
    dispatcher_.settle();
    EXPECT_EQ(one_->take(), (lines{"notice: inbox_reset"}));
    dispatcher_.notices().unlisten(7);
    state_.notice(kind::broken, 7);
    dispatcher_.settle();
    EXPECT_EQ(one_->take(), lines{});
}

TEST_F(dispatching, runs_timers_that_are_due) {
    dispatcher_.wake_at(*one_, time_.at + 10ms);
    EXPECT_EQ(dispatcher_.next_due(), time_.at + 10ms);
    EXPECT_FALSE(dispatcher_.timer_due());
    dispatcher_.run_timers();
    EXPECT_EQ(one_->take(), lines{});
    pass(10ms);
    EXPECT_TRUE(dispatcher_.timer_due());
    dispatcher_.run_timers();
    EXPECT_EQ(one_->take(), (lines{"timer"}));
    dispatcher_.run_timers();
    EXPECT_EQ(one_->take(), lines{});
}

TEST_F(dispatching, is_due_when_the_engine_is) {
    state_.due = time_.at + 30ms;
    ask();
    dispatcher_.settle();
    EXPECT_EQ(dispatcher_.next_due(), time_.at + 30ms);
    dispatcher_.wake_at(*one_, time_.at + 10ms);
    EXPECT_EQ(dispatcher_.next_due(), time_.at + 10ms);
    dispatcher_.wake_at(*one_, base::never);
}

TEST_F(dispatching, takes_what_an_engine_that_throws_had_in_flight_as_unknown) { // P5
    dispatcher_.notices().listen(7, *one_);
    ask();
    beat();
    dispatcher_.settle();
    state_.on_submit = [](engine::op_id) { throw std::runtime_error{"no descriptors"}; };
    ask(purpose::report);
    EXPECT_EQ(state_.resets, 1);
    state_.on_submit = [](engine::op_id) {};
    dispatcher_.settle();
    EXPECT_EQ(one_->take(), (lines{"answer to acquire: unknown", "answer to report: unknown",
                                   "beat of 3000: unknown"}));
    EXPECT_EQ(one_->detail, "no descriptors");
    EXPECT_TRUE(dispatcher_.idle());
    EXPECT_EQ(dispatcher_.next_due(), time_.at + 20ms);
    pass(20ms);
    dispatcher_.settle();
    EXPECT_EQ(one_->take(), (lines{"notice: inbox_reset"})) << "notices may be lost as well";
}

TEST_F(dispatching, delivers_first_what_the_engine_said_before_it_threw) {
    ask();
    state_.on_drive = [&](auto) {
        state_.answer(1, op_status::granted);
        throw std::bad_alloc{};
    };
    dispatcher_.settle();
    EXPECT_EQ(one_->take(), (lines{"answer to acquire: granted"}));
}

TEST_F(dispatching, survives_an_engine_that_always_throws) {
    state_.on_submit = [](engine::op_id) { throw 7; };
    state_.on_drive = [](auto) { throw 8; };
    ask();
    dispatcher_.settle();
    EXPECT_EQ(one_->take(), (lines{"answer to acquire: unknown"}));
    EXPECT_EQ(one_->detail, "unknown exception");
}

TEST_F(dispatching, answers_what_could_not_be_made_as_if_the_engine_were_unreachable) {
    const auto refuse = []() -> engine::op { throw std::bad_alloc{}; };
    dispatcher_.send(*one_, purpose::acquire, refuse, time_.at);
    dispatcher_.send(*one_, purpose::release, refuse, time_.at);
    dispatcher_.beat(
        *one_, 3s, []() -> engine::beat_op::item { throw std::bad_alloc{}; }, time_.at);
    EXPECT_EQ(one_->take(), lines{});
    dispatcher_.settle();
    EXPECT_EQ(one_->take(), (lines{"answer to acquire: failed", "answer to release: failed",
                                   "beat of 3000: unknown"}));
    EXPECT_TRUE(state_.submitted.empty());
    dispatcher_.settle();
    EXPECT_EQ(one_->take(), lines{});
    EXPECT_EQ(one_.use_count(), 1) << "nothing is kept";
}

TEST_F(dispatching, tells_a_participant_without_memory_less) {
    dispatcher_.notices().listen(7, *one_);
    ask();
    state_.answer(1, op_status::granted);
    one_->throws = 1;
    dispatcher_.settle();
    EXPECT_EQ(one_->take(), (lines{"answer to acquire: unknown"}));
    state_.notice(kind::granted, 7);
    one_->throws = 1;
    dispatcher_.settle();
    EXPECT_EQ(one_->take(), (lines{"notice: inbox_reset"}));
    beat();
    dispatcher_.settle();
    engine::answer renewed;
    renewed.id = 2;
    renewed.beats.resize(1);
    renewed.beats[0].status = op_status::renewed;
    state_.sink->answered(std::move(renewed));
    one_->throws = 1;
    dispatcher_.settle();
    EXPECT_EQ(one_->take(), (lines{"beat of 3000: unknown"}));
}

} // namespace
} // namespace holdfast::drive
