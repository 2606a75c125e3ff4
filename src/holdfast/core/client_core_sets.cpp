// client_core: several names at once.

#include "holdfast/base/process.hpp"
#include "holdfast/base/rollback.hpp"
#include "holdfast/core/client_core.hpp"
#include "holdfast/core/client_core_limits.hpp"
#include "holdfast/core/hold_set.hpp"
#include "holdfast/core/set_request.hpp"
#include "holdfast/core/wait_task.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <exception>
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
    if (out.holds.size() < tasks.size()) { give_back(out.holds, requests); }
    return out;
}

/// Gives back a hold for which nothing was done, so it must not rest for its min_hold. False: the
/// engine has not confirmed it, or memory is short.
bool client_core::withdraw(hold& hold) noexcept {
    try {
        if (execute(engine::withdraw_op{hold.ticket()}, release_wait).failure) { return false; }
        forget(hold);
        return true;
    } catch (const std::exception&) { return false; }
}

/// Ends holds of a set that was not acquired as a whole. `requests` has at least theirs.
void client_core::give_back(std::vector<std::shared_ptr<hold>>& holds,
                            std::span<const lock_request> requests) noexcept {
    const auto rests = [&](const hold& hold) {
        return std::any_of(requests.begin(), requests.end(), [&](const lock_request& request) {
            return request.name == hold.ticket().name && request.options.min_hold > milliseconds{0};
        });
    };
    for (std::size_t at = holds.size(); at > 0; --at) {
        if (rests(*holds[at - 1]) && withdraw(*holds[at - 1])) {
            holds.erase(holds.begin() + static_cast<std::ptrdiff_t>(at - 1));
        }
    }
    release_in_background(holds, false);
    holds.clear();
}

/// One name after the other. Everybody who needs several takes them in the same order, so nobody
/// waits for one that waits for it. `lost`: a name was lost while another was awaited.
set_result client_core::acquire_in_order(std::span<const lock_request> requests, instant give_up,
                                         const std::stop_token& stop, milliseconds patience) {
    std::vector<std::shared_ptr<hold>> holds;
    holds.reserve(requests.size());
    base::rollback undo{[&] { give_back(holds, requests); }};
    for (const auto& request : requests) {
        auto part = acquire(request, time_left(give_up, now()), stop, patience);
        if (part.failure) { return failed_set(part.failure, std::move(part.detail), request.name); }
        if (!part.hold) { return {}; }
        holds.push_back(std::move(part.hold));
    }
    const auto gone =
        std::find_if(holds.begin(), holds.end(), [](const auto& hold) { return !hold->valid(); });
    if (gone != holds.end()) {
        return failed_set(make_error_code(errc::lost), "it was lost while another name was awaited",
                          (*gone)->ticket().name);
    }
    undo.confirm();
    set_result out;
    out.holds = std::move(holds);
    return out;
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

} // namespace holdfast::core
