// The part of a hold that callers wait for: to be extended, and to be released.

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
using machine::lease_machine;

namespace {

/// The least time that extend() waits for its reply.
constexpr milliseconds least_extend_wait{50};

/// Without memory the caller gets no text.
void copy_detail(const std::string& from, std::string& to) noexcept {
    try {
        to = from;
    } catch (const std::bad_alloc&) { // NOLINT(bugprone-empty-catch): see above
    }
}

} // namespace

void hold::release(waiting& caller, instant give_up, instant now) {
    releaser_ = &caller;
    begin_release(give_up, now);
}

void hold::let_go(waiting* caller, bool tells_loss, instant now) {
    releaser_ = caller;
    unheard_ = true;
    tells_loss_ = tells_loss;
    tell_release_by_ = base::later(now, core_.connect_wait());
    begin_release(base::never, now);
}

void hold::begin_release(instant give_up, instant now) noexcept {
    for (auto* const caller : std::exchange(extenders_, {})) { // there are no more renewals
        caller->failure = make_error_code(errc::lost);
        core_.drive().ready(caller->sleep);
    }
    feed({lease_event::release, give_up, {}}, now);
    if (machine_.state() != machine::lease_state::releasing) { answer_release(); }
}

void hold::extend(waiting& caller, instant now) {
    caller.began = now;
    caller.until = now + std::max<duration>(duration{caller.lease} / 4, least_extend_wait);
    extenders_.push_back(&caller);
    const auto todo = machine_.on({lease_event::extend, {}, caller.lease}, now);
    if (todo.renew) {
        lease_ = caller.lease;
        caller.lease = todo.renew_for; // of the pending renewal: max_hold may allow less
    }
    apply(todo, now);
    if (machine_.state() == machine::lease_state::renewing) { return; }
    if (std::erase(extenders_, &caller) > 0) { // else the loss has completed it
        caller.failure = make_error_code(errc::lost);
        core_.drive().ready(caller.sleep);
    }
}

/// A failed renewal is repeated, and its callers keep waiting.
void hold::answer_extends(instant sent, milliseconds lease, bool good, instant now) noexcept {
    const bool is_lost = machine_.why().has_value();
    std::erase_if(extenders_, [&](waiting* caller) {
        const bool its_own = good && sent >= caller->began && lease == caller->lease;
        if (!is_lost && !its_own) { return false; }
        caller->was_lost = is_lost;
        if (is_lost) { caller->failure = make_error_code(errc::lost); }
        core_.drive().ready(caller->sleep);
        return true;
    });
    end_extends(now);
}

void hold::end_extends(instant now) noexcept {
    std::erase_if(extenders_, [&](waiting* caller) {
        if (now < caller->until) { return false; }
        caller->failure = make_error_code(errc::unknown_outcome);
        copy_detail(last_detail_, caller->detail);
        core_.drive().ready(caller->sleep);
        return true;
    });
}

/// When the first waiting caller returns without a reply. A hold that has ended has no timer.
instant hold::callers_end() const noexcept {
    auto first = base::never;
    switch (machine_.state()) {
    case machine::lease_state::releasing:
        if (releaser_ != nullptr) { first = releaser_->until; }
        if (unheard_) { first = std::min(first, tell_release_by_); }
        break;
    case machine::lease_state::held:
    case machine::lease_state::renewing:
        for (const auto* const caller : extenders_) { first = std::min(first, caller->until); }
        break;
    case machine::lease_state::lost:
    case machine::lease_state::ended: break;
    }
    return first;
}

void hold::tell_release() noexcept {
    switch (machine_.ending()) {
    case machine::lease_ending::released: break;
    case machine::lease_ending::none:
    case machine::lease_ending::not_held:
        if (tells_loss_) {
            core_.tell(event::kind::unlock_after_loss, *this, make_error_code(errc::lost));
        }
        break;
    case machine::lease_ending::unknown: tell_release_failed("no answer came"); break;
    case machine::lease_ending::refused:
        core_.tell(event::kind::release_failed, *this, last_error_, last_detail_);
        break;
    }
}

void hold::tell_release_failed(const char* otherwise) noexcept {
    core_.tell(event::kind::release_failed, *this, make_error_code(errc::unknown_outcome),
               last_detail_.empty() ? std::string_view{otherwise} : last_detail_);
}

void hold::answer_release() noexcept {
    if (std::exchange(unheard_, false)) { tell_release(); }
    if (releaser_ == nullptr) { return; }
    auto& caller = *std::exchange(releaser_, nullptr);
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
    core_.drive().ready(caller.sleep);
}

} // namespace holdfast::core
