// client_core: several names at once.

#include "holdfast/base/process.hpp"
#include "holdfast/core/client_core.hpp"
#include "holdfast/core/client_core_limits.hpp"
#include "holdfast/core/hold_set.hpp"
#include "holdfast/core/release_bundle.hpp"
#include "holdfast/core/set_request.hpp"
#include "holdfast/core/wait_task.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <utility>

namespace holdfast::core {

using base::instant;
using base::milliseconds;
using driver_turn = drive::driver::turn;
using std::chrono::nanoseconds;

namespace {

/// The least time that the first answer gets, even if the caller's time-out is shorter.
constexpr milliseconds least_first_wait{100};

set_result failed_set(std::error_code failure, std::string detail = {}, std::string name = {}) {
    set_result out;
    out.failure = failure;
    out.detail = std::move(detail);
    out.name = std::move(name);
    return out;
}

detail::wait_limit time_left(instant give_up, instant now) {
    if (give_up == base::never) { return detail::wait_limit::unlimited(); }
    return {std::max<nanoseconds>(give_up - now, nanoseconds::zero())};
}

} // namespace

bool client_core::is_one_step(std::span<const lock_request> requests) const {
    if (requests.size() < 2 || requests.size() > engine::max_set_items) { return false; }
    const auto format = lock_format_of(requests.front().options);
    std::vector<std::string_view> names;
    names.reserve(requests.size());
    for (const auto& each : requests) {
        if (lock_format_of(each.options) != format) { return false; }
        names.emplace_back(each.name);
    }
    return driver_->is_one_step(names, format);
}

set_result client_core::acquire_all(std::span<const lock_request> requests, detail::wait_limit wait,
                                    const std::stop_token& stop) {
    if (inherited()) { return failed_set(make_error_code(errc::forked), forked_detail); }
    if (stop.stop_requested()) { return failed_set(make_error_code(errc::cancelled)); }
    const bool may_wait = wait.at_most > nanoseconds::zero();
    const auto give_up = wait.at_most < detail::wait_limit::unlimited().at_most
                             ? base::later(now(), wait.at_most)
                             : base::never;
    auto patience = milliseconds::max();
    if (is_one_step(requests)) {
        const auto began = now();
        auto result = acquire_at_once(requests, wait, stop);
        const bool tried_enough =
            !may_wait || now() >= give_up ||
            (single_attempt() && result.failure && engine::worth_retrying(result.failure));
        if (tried_enough || !result.holds.empty() || result.failure == errc::cancelled ||
            result.failure == errc::limit_reached) {
            return result;
        }
        if (engine::worth_retrying(result.failure)) { // it has waited for the engine already
            patience = connect_wait() - std::chrono::floor<milliseconds>(now() - began);
            if (patience <= milliseconds{0}) { return result; }
        }
    }
    while (true) {
        auto result = acquire_in_order(requests, may_wait ? give_up : now(), stop, patience);
        const bool again = result.failure == errc::lost && now() < give_up;
        if (!again) { return result; }
    }
}

/// Sends one request for all. Whatever it leaves on the engine is withdrawn.
set_result client_core::acquire_at_once(std::span<const lock_request> requests,
                                        detail::wait_limit wait, const std::stop_token& stop) {
    std::vector<std::shared_ptr<wait_task>> made;
    made.reserve(requests.size());
    machine::wait_plan plan;
    auto kind = requests.front().kind;
    const auto format = lock_format_of(requests.front().options); // of all: see is_one_step
    auto caps = driver_->caps(kind, format);
    for (const auto& request : requests) {
        if (std::exchange(kind, request.kind) != request.kind) {
            caps = driver_->caps(kind, format);
        }
        plan = plan_for(request, caps, detail::wait_limit::none());
        plan.give_up = base::never;
        if (wait.at_most > nanoseconds::zero()) {
            const auto patience = std::max<nanoseconds>(wait.at_most, least_first_wait);
            plan.connect_wait =
                std::min(plan.connect_wait, std::chrono::ceil<milliseconds>(patience));
        }
        made.push_back(make_task(request, plan, engine::queueing::no));
    }
    const auto set = std::make_shared<set_request>(*this, std::move(made));
    const auto& tasks = set->tasks();
    std::vector<drive::sleeper> sleepers(tasks.size());
    set_result out;
    out.holds.reserve(tasks.size()); // before anything is granted
    try {
        driver_turn turn{*driver_};
        ensure_threads();
        set->start(turn.now());
        turn.settle();
        for (std::size_t at = 0; at < tasks.size(); ++at) { tasks[at]->set_sleeper(sleepers[at]); }
        if (!stop.stop_possible()) { turn.wait(sleepers.front()); }
    } catch (const std::system_error& refusal) { // no thread: no request was sent yet
        return failed_set(make_error_code(errc::limit_reached), base::thread_refused_text(refusal));
    }
    {
        const std::stop_callback cancel{stop, [this, &set] { driver_->cancel(set); }};
        for (auto& sleeper : sleepers) { await(sleeper); }
    }
    for (const auto& task : tasks) {
        auto part = result_of(*task, plan);
        if (part.hold) {
            out.holds.push_back(std::move(part.hold));
        } else if (part.failure) {
            out.failure = part.failure;
            out.detail = std::move(part.detail);
        }
    }
    if (out.holds.size() < tasks.size()) {
        release_in_background(out.holds, false);
        out.holds.clear();
    }
    return out;
}

/// Gives back a hold for which nothing was done, so it must not rest for its min_hold. False: the
/// engine has not confirmed it.
bool client_core::withdraw(hold& hold) {
    const auto result = execute(engine::withdraw_op{hold.ticket()}, release_wait);
    if (result.failure) { return false; }
    forget(hold);
    return true;
}

/// One name after the other. Everybody who needs several takes them in the same order, so nobody
/// waits for one that waits for it. `lost`: a name was lost while another was awaited.
set_result client_core::acquire_in_order(std::span<const lock_request> requests, instant give_up,
                                         const std::stop_token& stop, milliseconds patience) {
    set_result out;
    out.holds.reserve(requests.size());
    const auto give_back = [&] {
        for (std::size_t at = out.holds.size(); at > 0; --at) {
            if (requests[at - 1].options.min_hold > milliseconds{0} &&
                withdraw(*out.holds[at - 1])) {
                out.holds.erase(out.holds.begin() + static_cast<std::ptrdiff_t>(at - 1));
            }
        }
        release_in_background(out.holds, false);
        out.holds.clear();
    };
    for (const auto& request : requests) {
        acquire_result part;
        try {
            part = acquire(request, time_left(give_up, now()), stop, patience);
        } catch (...) {
            give_back();
            throw;
        }
        if (!part.hold) {
            give_back();
            if (part.failure) {
                return failed_set(part.failure, std::move(part.detail), request.name);
            }
            return out;
        }
        out.holds.push_back(std::move(part.hold));
    }
    const auto gone = std::find_if(out.holds.begin(), out.holds.end(),
                                   [](const auto& hold) { return !hold->valid(); });
    if (gone == out.holds.end()) { return out; }
    auto name = (*gone)->ticket().name;
    give_back();
    return failed_set(make_error_code(errc::lost), "it was lost while another name was awaited",
                      std::move(name));
}

std::shared_ptr<hold_set> client_core::make_set(std::vector<std::shared_ptr<hold>>&& holds) {
    std::shared_ptr<hold_set> set;
    try { // without memory it leaves the holds where they are
        set = std::make_shared<hold_set>(*this, std::move(holds));
    } catch (...) {
        release_in_background(holds, false); // NOLINT(bugprone-use-after-move): see above
        throw;
    }
    const driver_turn turn{*driver_};
    set->watch(turn.now());
    return set;
}

bool client_core::bundle_release(hold& hold, bool awaited, bool can_wait,
                                 instant give_up) noexcept {
    if (bundle_ == nullptr) { return false; }
    try {
        return bundle_->add(
            hold, engine::release_op{hold.ticket(), awaited, can_wait, hold.token()}, give_up);
    } catch (const std::bad_alloc&) { return false; }
}

/// Null: each hold sends its own release.
std::shared_ptr<release_bundle>
client_core::make_bundle(std::span<const std::shared_ptr<hold>> holds) noexcept {
    if (holds.size() < 2 || holds.size() > engine::max_set_items) { return nullptr; }
    try {
        const auto& format = holds.front()->ticket().format;
        std::vector<std::string_view> names;
        names.reserve(holds.size());
        for (const auto& each : holds) {
            if (each->ticket().format != format) { return nullptr; }
            names.emplace_back(each->ticket().name);
        }
        if (!driver_->is_one_step(names, format)) { return nullptr; }
        return std::make_shared<release_bundle>(*this, holds.size());
    } catch (const std::bad_alloc&) { return nullptr; }
}

release_result client_core::release(hold_set& set) {
    if (inherited()) {
        return {release_answer::already_lost, make_error_code(errc::forked), forked_detail};
    }
    const auto& holds = set.holds();
    std::vector<hold::waiting_caller> callers(holds.size());
    const auto bundle = make_bundle(holds);
    {
        driver_turn turn{*driver_};
        if (set.why_lost()) { return {release_answer::already_lost, {}, {}}; }
        set.stop_watching();
        bundle_ = bundle.get();
        const auto give_up = base::later(turn.now(), connect_wait());
        for (std::size_t at = 0; at < holds.size(); ++at) {
            holds[at]->release(callers[at], give_up, turn.now());
        }
        bundle_ = nullptr;
        if (bundle) { bundle->send(); }
        turn.wait(callers.front().sleeper);
    }
    release_result out;
    for (auto& caller : callers) {
        await(caller.sleeper);
        if (caller.was_lost) { out.answer = release_answer::already_lost; }
        if (caller.failure) {
            out.failure = caller.failure;
            out.detail = std::move(caller.detail);
        }
    }
    return out;
}

void client_core::release_in_background(std::span<const std::shared_ptr<hold>> holds,
                                        bool reports_loss) noexcept {
    if (holds.empty() || inherited()) { return; } // the holds belong to the parent process
    // Without memory nobody waits.
    const std::unique_ptr<hold::waiting_caller[]> callers{
        // NOLINT(*-avoid-c-arrays)
        pipeline_release_ ? nullptr : new (std::nothrow) hold::waiting_caller[holds.size()]};
    const auto bundle = make_bundle(holds);
    {
        driver_turn turn{*driver_};
        bundle_ = bundle.get();
        for (std::size_t at = 0; at < holds.size(); ++at) {
            auto* const caller = callers ? &callers[at] : nullptr;
            if (caller != nullptr) { caller->until = turn.now() + release_wait; }
            holds[at]->release_in_background(caller, reports_loss, turn.now());
        }
        bundle_ = nullptr;
        if (bundle) { bundle->send(); }
        if (callers) { turn.wait(callers[0].sleeper); }
    }
    for (std::size_t at = 0; callers && at < holds.size(); ++at) { await(callers[at].sleeper); }
}

void client_core::release_in_background(hold_set& set) noexcept {
    if (inherited()) { return; }
    {
        const driver_turn turn{*driver_};
        if (set.why_lost()) { return; }
        set.stop_watching();
    }
    release_in_background(set.holds(), false);
}

} // namespace holdfast::core
