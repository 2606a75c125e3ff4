#include "holdfast/core/client_core.hpp"

#include "holdfast/base/process.hpp"
#include "holdfast/core/client_core_limits.hpp"
#include "holdfast/core/hold_set.hpp"
#include "holdfast/core/wait_task.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace holdfast::core {

using base::instant;
using base::milliseconds;
using machine::waiter_machine;
using driver_turn = drive::driver::turn;

namespace {

/// How long the destructor waits for the last withdrawals and releases.
constexpr milliseconds shutdown_wait{500};

/// The least time-out of requests that no caller waits for.
constexpr milliseconds least_background_wait{1000};

std::error_code forked_error() { return make_error_code(errc::forked); }

std::unique_ptr<engine::engine> engine_for(std::string_view url,
                                           const engine::client_identity& identity) {
    return engine::make_engine(engine::url::parse(url), identity);
}

} // namespace

client_core::client_core(std::string_view url, client_options options)
    : client_core{nullptr, engine::this_process(), std::move(options)} {
    run_engine(engine_for(url, identity_));
}

client_core::client_core(std::unique_ptr<engine::engine> engine, engine::client_identity identity,
                         client_options options)
    : identity_{std::move(identity)},
      connect_wait_{options.connect_wait},
      pipeline_release_{options.pipeline_release},
      generation_{base::process_generation()},
      metrics_{std::make_shared<drive::client_metrics>(options.metrics)},
      notifier_{std::make_unique<drive::notifier>(std::move(options.observer))} {
    check_options(options);
    if (engine) { run_engine(std::move(engine)); }
}

void client_core::run_engine(std::unique_ptr<engine::engine> engine) {
    driver_ = std::make_unique<drive::driver>(std::move(engine), *identity_.time, metrics_);
    for (const auto kind : {primitive::mutex, primitive::shared_mutex, primitive::semaphore}) {
        usual_caps_.at(static_cast<std::size_t>(kind)) = driver_->caps(kind, {});
    }
}

client_core::~client_core() {
    if (inherited()) {
        // The threads, locks, sockets and files belong to the parent process.
        static_cast<void>(driver_.release());
        static_cast<void>(notifier_.release());
        return;
    }
    if (driver_) { driver_->drain(shutdown_wait); }
}

bool client_core::inherited() const noexcept { return generation_ != base::process_generation(); }

milliseconds client_core::connect_wait() const {
    return single_attempt() ? usual_caps(primitive::mutex).attempt : connect_wait_;
}

milliseconds client_core::background_wait() const {
    return std::max(connect_wait(), least_background_wait);
}

engine::capabilities client_core::caps(primitive kind, const engine::lock_format& format) const {
    if (format != engine::lock_format{}) { return driver_->caps(kind, format); }
    return usual_caps(kind);
}

engine::capabilities client_core::caps(const hold& hold) const {
    auto kind = primitive::mutex;
    if (hold.mode() == mode::shared) { kind = primitive::shared_mutex; }
    if (hold.mode() == mode::permits) { kind = primitive::semaphore; }
    return caps(kind, hold.ticket().format);
}

machine::wait_plan client_core::plan_for(const lock_request& request,
                                         const engine::capabilities& caps,
                                         detail::wait_limit wait) const {
    const bool may_wait = wait.at_most > std::chrono::nanoseconds::zero();
    machine::wait_plan plan;
    plan.may_wait = may_wait;
    plan.queue_grants = caps.queue == engine::queueing::grant;
    plan.once = !may_wait || single_attempt();
    plan.connect_wait = may_wait ? connect_wait() : std::min(connect_wait(), caps.attempt);
    plan.lease = terms_of(request.options).lease;
    plan.margin = request.options.margin;
    if (!caps.joins) { // a quorum
        const auto& voting = request.options.quorum;
        plan.drift = voting.drift ? voting.drift : caps.drift;
        plan.tries = voting.tries > 0 ? voting.tries : caps.tries;
    }
    if (wait.at_most < detail::wait_limit::unlimited().at_most) {
        plan.give_up = base::later(now(), wait.at_most);
    }
    return plan;
}

std::shared_ptr<wait_task> client_core::make_task(const lock_request& request,
                                                  const machine::wait_plan& plan,
                                                  engine::queueing queue) {
    return std::make_shared<wait_task>(*this, request, new_owner(), plan, queue);
}

acquire_result client_core::acquire(const lock_request& request, detail::wait_limit wait,
                                    const std::stop_token& stop, milliseconds patience) {
    if (inherited()) { return {nullptr, forked_error(), forked_detail}; }
    if (stop.stop_requested()) { return {nullptr, make_error_code(errc::cancelled), {}}; }
    const auto format = lock_format_of(request.options);
    std::optional<engine::capabilities> own_caps;
    const auto& caps = format == engine::lock_format{}
                           ? usual_caps(request.kind)
                           : own_caps.emplace(driver_->caps(request.kind, format));
    auto plan = plan_for(request, caps, wait);
    plan.connect_wait = std::min(plan.connect_wait, patience);
    const auto task = make_task(request, plan, plan.may_wait ? caps.queue : engine::queueing::no);
    try {
        await(task, stop);
    } catch (const std::system_error& refusal) { // no thread: no request was sent yet
        return {nullptr, make_error_code(errc::limit_reached), base::thread_refused_text(refusal)};
    }
    return result_of(*task, plan);
}

acquire_result client_core::result_of(wait_task& task, const machine::wait_plan& plan) {
    // A granted task does not change any more. Any other may still be withdrawing: take a turn.
    if (task.result() == waiter_machine::outcome::granted) { return {task.take_hold(), {}, {}}; }
    const driver_turn turn{*driver_};
    switch (task.result()) {
    case waiter_machine::outcome::cancelled: return {nullptr, make_error_code(errc::cancelled), {}};
    case waiter_machine::outcome::refused: return {nullptr, task.failure(), task.detail()};
    case waiter_machine::outcome::unavailable:
        return {nullptr,
                engine::worth_retrying(task.failure()) ? task.failure()
                                                       : make_error_code(errc::unavailable),
                task.detail()};
    case waiter_machine::outcome::tried_enough:
        if (plan.give_up < base::never) { return {}; } // as if its time-out had ended
        return {nullptr, make_error_code(errc::limit_reached),
                "someone else held it in each of " + std::to_string(plan.tries) + " tries"};
    default: return {};
    }
}

/// Starts the threads that a hold needs before the lock is requested: once it is granted it must be
/// renewed and its loss reported, even if the system refuses threads by then.
void client_core::ensure_threads() {
    if (has_threads_) { return; }
    driver_->ensure_keeper();
    if (notifier_->has_observer()) { notifier_->start(); }
    has_threads_ = true;
}

/// Throws only if no request was sent yet.
void client_core::await(const std::shared_ptr<wait_task>& task, const std::stop_token& stop) {
    drive::sleeper sleeper;
    {
        driver_turn turn{*driver_};
        ensure_threads();
        task->start(turn.now());
        if (!stop.stop_possible()) {
            task->set_sleeper(sleeper);
            turn.wait(sleeper);
            return;
        }
        turn.settle();
        task->set_sleeper(sleeper);
        if (sleeper.ready()) { return; }
    }
    // Outside of the turn: ~stop_callback waits for a running callback, which waits for a turn.
    const std::stop_callback cancel{stop, [this, &task] { driver_->cancel(task); }};
    driver_turn turn{*driver_};
    turn.wait(sleeper);
}

release_result client_core::release(hold& hold) {
    if (inherited()) { return {release_answer::already_lost, forked_error(), forked_detail}; }
    hold::waiting_caller caller;
    {
        driver_turn turn{*driver_};
        hold.release(caller, base::later(turn.now(), connect_wait()), turn.now());
        turn.wait(caller.sleeper);
    }
    return {caller.was_lost ? release_answer::already_lost : release_answer::released,
            caller.failure, std::move(caller.detail)};
}

void client_core::begin_background_release(hold& hold, hold::waiting_caller* caller) {
    const driver_turn turn{*driver_};
    if (caller != nullptr) { caller->until = turn.now() + release_wait; }
    hold.release_in_background(caller, false, turn.now());
}

void client_core::await(drive::sleeper& sleeper) {
    if (sleeper.ready()) { return; }
    driver_turn turn{*driver_};
    turn.wait(sleeper);
}

void client_core::release_in_background(hold& hold, bool reports_loss) {
    if (inherited()) { return; } // the hold belongs to the parent process
    hold::waiting_caller caller;
    driver_turn turn{*driver_};
    caller.until = turn.now() + release_wait;
    hold.release_in_background(pipeline_release_ ? nullptr : &caller, reports_loss, turn.now());
    if (!pipeline_release_) { turn.wait(caller.sleeper); }
}

milliseconds client_core::answer_wait(const lock_request& request, detail::wait_limit wait) const {
    if (wait.at_most <= std::chrono::nanoseconds::zero()) {
        const auto attempt = caps(request.kind, lock_format_of(request.options)).attempt;
        return std::min(connect_wait(), attempt);
    }
    return std::min(connect_wait(), std::chrono::ceil<milliseconds>(wait.at_most));
}

std::error_code client_core::extend(hold& hold, milliseconds lease, base::duration at_most,
                                    const std::stop_token& stop) {
    if (inherited()) { return forked_error(); }
    hold::waiting_caller caller;
    caller.lease = lease;
    caller.stop = stop;
    const auto cancellation =
        stop.stop_possible() ? std::make_shared<extend_cancellation>(hold) : nullptr;
    {
        driver_turn turn{*driver_};
        caller.until = base::later(turn.now(), at_most);
        hold.extend(caller, turn.now());
        if (!cancellation) {
            turn.wait(caller.sleeper);
            return caller.failure;
        }
    }
    const std::stop_callback cancel{stop, [&] { driver_->cancel(cancellation); }};
    driver_turn turn{*driver_};
    turn.wait(caller.sleeper);
    return caller.failure;
}

template <typename Held>
std::stop_token client_core::lost_token(Held& held) {
    if (inherited()) {
        std::stop_source stop;
        stop.request_stop();
        return stop.get_token();
    }
    try {
        const driver_turn turn{*driver_};
        return held.lost();
    } catch (const std::system_error& refusal) {
        throw error{errc::limit_reached, "lost(): " + base::thread_refused_text(refusal)};
    }
}

std::stop_token client_core::lost(hold& hold) { return lost_token(hold); }

std::stop_token client_core::lost(hold_set& set) { return lost_token(set); }

void client_core::abandon(hold& hold) {
    if (inherited()) { return; }
    const driver_turn turn{*driver_};
    hold.abandon(turn.now());
}

void client_core::forget(hold& hold) {
    if (inherited()) { return; }
    const driver_turn turn{*driver_};
    hold.forget(turn.now());
}

void client_core::report_event(event::kind type, const hold& about, std::error_code failure,
                               std::string_view detail) noexcept {
    report_event([&] {
        return event{type,    about.ticket().name, about.ticket().owner.text(), about.token(),
                     failure, std::string{detail}};
    });
}

} // namespace holdfast::core
