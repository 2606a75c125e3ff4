// A client counts each outcome once, where it is decided. In virtual time.

#include "holdfast/drive/client_metrics.hpp"

#include "holdfast/core/client_core.hpp"
#include "holdfast/core/wait_task.hpp"
#include "unit/fake_engine.hpp"

#include <holdfast/error.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using drive::client_metrics;
using engine::op_status;

class client_metrics_test : public testing::Test {
protected:
    using driver_turn = drive::driver::turn;

    explicit client_metrics_test(bool enabled = true)
        : core_{std::make_unique<test::fake_engine>(state_),
                engine::client_identity{.client = {}, .time = &clock_, .host = {}, .boot = {}},
                client_options{.metrics = enabled}} {}

    /// Starts an acquire; the engine has its request, and has not answered.
    std::shared_ptr<wait_task> ask(machine::wait_plan plan = {.may_wait = true},
                                   lock_options options = {}) {
        const lock_request request{.name = "stock", .options = std::move(options)};
        plan.lease = request.options.lease;
        const auto task = std::make_shared<wait_task>(
            core_, request, base::owner_id{{}, ++last_number_}, plan, engine::queueing::grant);
        const driver_turn turn{core_.driver()};
        task->start(turn.now());
        return task;
    }
    /// Answers the last request, whatever it was.
    void answer(op_status status, errc failure = errc::unavailable) {
        const driver_turn turn{core_.driver()};
        const auto& last = state_.submitted.back();
        engine::answer out;
        out.id = last.id;
        out.status = status;
        out.token = 7;
        if (status == op_status::failed) { out.error = make_error_code(failure); }
        if (std::holds_alternative<engine::beat_op>(last.operation)) {
            out.beats.emplace_back().status = status;
            out.beats.back().error = out.error;
        }
        state_.sink->answered(std::move(out));
    }
    void notice(engine::notice::kind type) {
        const driver_turn turn{core_.driver()};
        state_.sink->noticed({type, last_number_, 7});
    }
    std::shared_ptr<hold> acquire(lock_options options = {}) {
        const auto task = ask({.may_wait = true}, std::move(options));
        answer(op_status::granted);
        return task->take_hold();
    }
    /// The request is on its way after this.
    void begin_release(hold& hold) {
        const driver_turn turn{core_.driver()};
        hold.release_in_background(nullptr, false, turn.now());
    }
    void run_timer(drive::participant& participant) {
        const driver_turn turn{core_.driver()};
        participant.on_timer(turn.now());
    }
    void release(hold& hold, op_status status = op_status::released) {
        begin_release(hold);
        answer(status, errc::store_forbidden);
    }
    [[nodiscard]] metrics counted() const { return core_.metrics()->get(); }

    test::set_clock clock_;
    test::fake_state state_;
    std::uint64_t last_number_ = 0;
    client_core core_;
};

TEST_F(client_metrics_test, counts_a_granted_acquire_its_hold_and_its_release) {
    const auto held = acquire();
    EXPECT_EQ(counted().acquires.granted, 1U);
    EXPECT_EQ(counted().holds_now, 1U);
    EXPECT_EQ(counted().hold_time.count(), 0U);
    clock_.at += 2s;
    begin_release(*held);
    EXPECT_EQ(counted().holds_now, 0U) << "from the call on, not from its answer";
    EXPECT_EQ(counted().hold_time.count(), 1U);
    EXPECT_EQ(counted().hold_time.sum, 2s);
    EXPECT_EQ(counted().releases.released, 0U);
    clock_.at += 1s;
    answer(op_status::released);
    EXPECT_EQ(counted().releases.released, 1U);
    EXPECT_EQ(counted().hold_time.sum, 2s);
    EXPECT_EQ(counted().waits, 0U);
}

TEST_F(client_metrics_test, counts_acquires_by_their_outcome) {
    ask({.may_wait = false});
    answer(op_status::busy);
    EXPECT_EQ(counted().acquires.busy, 1U);

    const auto late = ask({.may_wait = true, .give_up = clock_.at + 1s});
    answer(op_status::busy);
    clock_.at += 1s;
    run_timer(*late);
    EXPECT_EQ(counted().acquires.timed_out, 1U);

    const auto cancelled = ask();
    answer(op_status::busy);
    {
        const driver_turn turn{core_.driver()};
        cancelled->on_cancel(turn.now());
    }
    EXPECT_EQ(counted().acquires.cancelled, 1U);

    ask({.may_wait = true, .once = true});
    answer(op_status::failed);
    EXPECT_EQ(counted().acquires.unavailable, 1U);

    ask();
    answer(op_status::failed, errc::wrong_limit);
    EXPECT_EQ(counted().acquires.refused, 1U);

    ask({.may_wait = true, .tries = 1});
    answer(op_status::busy);
    EXPECT_EQ(counted().acquires.tried_enough, 1U);

    EXPECT_EQ(counted().acquires.granted, 0U);
    EXPECT_EQ(counted().wait_time.count(), 0U) << "only of granted ones";
    EXPECT_EQ(counted().holds_now, 0U);
}

TEST_F(client_metrics_test, counts_a_wait_once_and_shows_it_while_it_lasts) {
    const auto task = ask();
    EXPECT_EQ(counted().waits, 0U) << "nothing is known of the lock yet";
    answer(op_status::queued);
    EXPECT_EQ(counted().waits, 1U);
    EXPECT_EQ(counted().waits_now, 1U);
    clock_.at += 250ms;
    notice(engine::notice::kind::granted);
    ASSERT_TRUE(task->finished());
    EXPECT_EQ(counted().waits, 1U);
    EXPECT_EQ(counted().waits_now, 0U);
    EXPECT_EQ(counted().hand_offs, 1U);
    EXPECT_EQ(counted().wait_time.sum, 250ms);
    release(*task->take_hold());
}

TEST_F(client_metrics_test, counts_no_hand_off_if_the_waiter_asked_again) {
    const auto task = ask();
    answer(op_status::queued);
    notice(engine::notice::kind::maybe_free);
    answer(op_status::granted);
    EXPECT_EQ(counted().waits, 1U);
    EXPECT_EQ(counted().hand_offs, 0U);
    release(*task->take_hold());
}

TEST_F(client_metrics_test, counts_renewals_by_their_answer) {
    const auto held = acquire({.lease = 30s});
    const auto renew = [&](op_status status) {
        clock_.at += 11s;
        run_timer(*held);
        answer(status);
    };
    renew(op_status::renewed);
    EXPECT_EQ(counted().renewals.renewed, 1U);
    renew(op_status::unknown);
    EXPECT_EQ(counted().renewals.unknown, 1U);
    EXPECT_EQ(counted().unknown_outcomes.renewal, 1U);
    clock_.at += 1s;
    run_timer(*held);
    answer(op_status::failed);
    EXPECT_EQ(counted().renewals.failed, 1U);
    EXPECT_EQ(counted().unknown_outcomes.renewal, 1U) << "that one certainly did not happen";
    clock_.at += 1s;
    run_timer(*held);
    answer(op_status::lost);
    EXPECT_EQ(counted().renewals.lost, 1U);
    EXPECT_EQ(counted().losses.taken, 1U);
    EXPECT_EQ(counted().holds_now, 0U);
    EXPECT_EQ(counted().hold_time.sum, 24s);
}

TEST_F(client_metrics_test, counts_losses_by_their_cause) {
    const auto expired = acquire({.lease = 1s, .renew = false});
    clock_.at += 1s;
    run_timer(*expired);
    EXPECT_EQ(counted().losses.expired, 1U);

    const auto broken = acquire();
    notice(engine::notice::kind::broken);
    notice(engine::notice::kind::broken);
    EXPECT_EQ(counted().losses.taken, 1U) << "the second notice changes nothing";

    const auto limited = acquire({.lease = 1s, .max_hold = 1s});
    clock_.at += 1s;
    run_timer(*limited);
    EXPECT_EQ(counted().losses.max_hold, 1U);

    const auto abandoned = acquire();
    {
        const driver_turn turn{core_.driver()};
        abandoned->abandon(turn.now());
    }
    EXPECT_EQ(counted().losses.thread_exited, 1U);
    EXPECT_EQ(counted().holds_now, 0U);
    EXPECT_EQ(counted().hold_time.count(), 4U);
}

TEST_F(client_metrics_test, counts_releases_by_their_outcome) {
    release(*acquire(), op_status::handed_off);
    EXPECT_EQ(counted().releases.handed_off, 1U);
    EXPECT_EQ(counted().releases.released, 0U);
    release(*acquire(), op_status::not_held);
    EXPECT_EQ(counted().releases.not_held, 1U);
    release(*acquire(), op_status::failed);
    EXPECT_EQ(counted().releases.refused, 1U);

    const auto silent = acquire({.lease = 1s});
    release(*silent, op_status::unknown);
    EXPECT_EQ(counted().unknown_outcomes.release, 1U);
    EXPECT_EQ(counted().releases.unknown, 0U) << "it is sent again";
    clock_.at += 2s;
    run_timer(*silent);
    EXPECT_EQ(counted().releases.unknown, 1U) << "by now the lease has ended";
}

TEST_F(client_metrics_test, counts_no_release_of_a_hold_that_was_lost) {
    const auto held = acquire();
    notice(engine::notice::kind::broken);
    begin_release(*held);
    EXPECT_EQ(counted().losses.taken, 1U);
    EXPECT_EQ(counted().releases.released + counted().releases.not_held, 0U);
    EXPECT_EQ(counted().hold_time.count(), 1U);
}

TEST_F(client_metrics_test, counts_lost_replies_by_their_request) {
    const auto task = ask({.may_wait = true, .once = true});
    answer(op_status::unknown);
    EXPECT_EQ(counted().unknown_outcomes.acquire, 1U);
    EXPECT_EQ(counted().acquires.unavailable, 1U);
    answer(op_status::unknown); // of the withdrawal that follows
    EXPECT_EQ(counted().unknown_outcomes.withdrawal, 1U);
    clock_.at += 1s;
    run_timer(*task);
    answer(op_status::not_held);
    clock_.at += 6s; // the lost acquire cannot arrive any more
    run_timer(*task);
    answer(op_status::not_held);

    const auto waiter = ask();
    answer(op_status::queued);
    clock_.at += 1s;
    run_timer(*waiter);
    answer(op_status::unknown);
    EXPECT_EQ(counted().unknown_outcomes.heartbeat, 1U);
    notice(engine::notice::kind::granted);
    ASSERT_TRUE(waiter->finished());
    release(*waiter->take_hold());
}

TEST_F(client_metrics_test, counts_reconnects) {
    {
        const driver_turn turn{core_.driver()};
        state_.sink->reconnected();
    }
    EXPECT_EQ(counted().reconnects, 1U);
}

TEST_F(client_metrics_test, ends_the_count_of_a_hold_that_is_detached) {
    const auto held = acquire();
    clock_.at += 3s;
    core_.forget(*held);
    EXPECT_EQ(counted().holds_now, 0U);
    EXPECT_EQ(counted().hold_time.sum, 3s);
    EXPECT_EQ(counted().releases.released, 0U);
}

class client_metrics_off : public client_metrics_test {
protected:
    client_metrics_off() : client_metrics_test{false} {}
};

TEST_F(client_metrics_off, counts_nothing) {
    release(*acquire());
    ask({.may_wait = false});
    answer(op_status::busy);
    EXPECT_EQ(counted().acquires.granted + counted().acquires.busy, 0U);
    EXPECT_EQ(counted().hold_time.count() + counted().wait_time.count(), 0U);
    EXPECT_EQ(counted().releases.released, 0U);
}

TEST(relaxed_histogram, counts_a_bound_in_the_range_that_it_ends) {
    drive::relaxed_histogram times;
    const auto& bounds = duration_histogram::bounds;
    times.add(0ns);
    times.add(bounds[0]);
    times.add(bounds[0] + 1ns);
    times.add(bounds.back());
    times.add(bounds.back() + 1ns);
    const auto seen = times.get();
    EXPECT_EQ(seen.counts[0], 2U);
    EXPECT_EQ(seen.counts[1], 1U);
    EXPECT_EQ(seen.counts[bounds.size() - 1], 1U);
    EXPECT_EQ(seen.counts[bounds.size()], 1U);
    EXPECT_EQ(seen.count(), 5U);
    EXPECT_EQ(seen.sum, 2 * bounds[0] + 2 * bounds.back() + 2ns);
}

} // namespace
} // namespace holdfast::core
