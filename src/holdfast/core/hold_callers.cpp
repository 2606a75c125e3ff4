// The part of a hold that serves blocked callers: extend() and release().

#include "holdfast/core/client_core.hpp"
#include "holdfast/core/hold.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <new>
#include <string_view>
#include <utility>

namespace holdfast::core {

using base::duration;
using base::instant;
using base::milliseconds;
using machine::lease_event;

namespace {

/// The least time that extend() waits for its reply.
constexpr milliseconds least_extend_wait{50};

/// Without memory the caller gets no text. Usually there is none.
void copy_detail(const std::string& from, std::string& to) noexcept {
    if (from.empty() && to.empty()) { return; }
    try {
        to = from;
    } catch (const std::bad_alloc&) { // NOLINT(bugprone-empty-catch): see above
    }
}

} // namespace

void hold::release(waiting_caller& caller, instant give_up, instant now) {
    release_caller_ = &caller;
    begin_release(give_up, now);
}

void hold::release_in_background(waiting_caller* caller, bool reports_loss, instant now) {
    release_caller_ = caller;
    reports_to_observer_ = true;
    reports_loss_ = reports_loss;
    report_release_by_ = base::later(now, core_.connect_wait());
    begin_release(base::never, now);
}

void hold::begin_release(instant give_up, instant now) noexcept {
    for (auto* const caller : std::exchange(extend_callers_, {})) { // there are no more renewals
        caller->failure = make_error_code(errc::lost);
        core_.driver().ready(caller->sleeper);
    }
    feed({lease_event::release, give_up, {}}, now);
    if (machine_.state() != machine::lease_state::releasing) { complete_release(); }
}

void hold::extend(waiting_caller& caller, instant now) {
    caller.began = now;
    const auto share = std::max<duration>(duration{caller.lease} / 4, least_extend_wait);
    caller.until = std::min(caller.until, now + share);
    extend_callers_.push_back(&caller);
    const auto actions = machine_.on({lease_event::extend, {}, caller.lease}, now);
    if (actions.renew) {
        lease_ = caller.lease;
        caller.lease = actions.renew_for; // of the pending renewal: max_hold may allow less
    }
    apply(actions, now);
    if (machine_.state() == machine::lease_state::renewing) { return; }
    if (std::erase(extend_callers_, &caller) > 0) { // else the loss has completed it
        caller.failure = make_error_code(errc::lost);
        core_.driver().ready(caller.sleeper);
    }
}

/// A failed renewal is repeated, and its callers keep waiting.
void hold::complete_extends(instant sent, milliseconds lease, bool succeeded,
                            instant now) noexcept {
    const bool is_lost = machine_.loss_reason().has_value();
    std::erase_if(extend_callers_, [&](waiting_caller* caller) {
        const bool its_own = succeeded && sent >= caller->began && lease == caller->lease;
        if (!is_lost && !its_own) { return false; }
        caller->was_lost = is_lost;
        if (is_lost) { caller->failure = make_error_code(errc::lost); }
        core_.driver().ready(caller->sleeper);
        return true;
    });
    time_out_extends(now);
}

void hold::time_out_extends(instant now) noexcept {
    std::erase_if(extend_callers_, [&](waiting_caller* caller) {
        if (now < caller->until) { return false; }
        caller->failure = make_error_code(errc::unknown_outcome);
        copy_detail(last_detail_, caller->detail);
        core_.driver().ready(caller->sleeper);
        return true;
    });
}

void hold::stop_extends() noexcept {
    std::erase_if(extend_callers_, [&](waiting_caller* caller) {
        if (!caller->stop.stop_requested()) { return false; }
        caller->failure = make_error_code(errc::cancelled);
        core_.driver().ready(caller->sleeper);
        return true;
    });
}

/// When the first waiting caller returns without a reply. A hold that has ended has no timer.
instant hold::next_caller_timeout() const noexcept {
    auto first = base::never;
    switch (machine_.state()) {
    case machine::lease_state::releasing:
        if (release_caller_ != nullptr) { first = release_caller_->until; }
        if (reports_to_observer_) { first = std::min(first, report_release_by_); }
        break;
    case machine::lease_state::held:
    case machine::lease_state::renewing:
        for (const auto* const caller : extend_callers_) { first = std::min(first, caller->until); }
        break;
    case machine::lease_state::lost:
    case machine::lease_state::ended: break;
    }
    return first;
}

void hold::report_release() noexcept {
    switch (machine_.ending()) {
    case machine::lease_ending::released: break;
    case machine::lease_ending::none:
    case machine::lease_ending::not_held:
        if (reports_loss_) {
            core_.report_event(event::kind::unlock_after_loss, *this, make_error_code(errc::lost),
                               describe(machine_.loss_reason().value_or(loss::taken)));
        }
        break;
    case machine::lease_ending::unknown: report_release_failed("no answer came"); break;
    case machine::lease_ending::refused:
        core_.report_event(event::kind::release_failed, *this, last_error_, last_detail_);
        break;
    }
}

void hold::report_release_failed(const char* fallback) noexcept {
    core_.report_event(event::kind::release_failed, *this, make_error_code(errc::unknown_outcome),
                       last_detail_.empty() ? std::string_view{fallback} : last_detail_);
}

void hold::complete_release() noexcept {
    if (std::exchange(reports_to_observer_, false)) { report_release(); }
    if (release_caller_ == nullptr) { return; }
    auto& caller = *std::exchange(release_caller_, nullptr);
    switch (machine_.ending()) {
    case machine::lease_ending::released: break;
    case machine::lease_ending::none: // it was lost before
    case machine::lease_ending::not_held: caller.was_lost = true; break;
    case machine::lease_ending::unknown:
        caller.failure = make_error_code(errc::unknown_outcome);
        break;
    case machine::lease_ending::refused: caller.failure = last_error_; break;
    }
    copy_detail(last_detail_, caller.detail);
    core_.driver().ready(caller.sleeper);
}

} // namespace holdfast::core
