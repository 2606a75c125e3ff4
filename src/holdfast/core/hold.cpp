#include "holdfast/core/hold.hpp"

#include "holdfast/base/process.hpp"
#include "holdfast/core/client_core.hpp"
#include "holdfast/core/hold_set.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace holdfast::core {

using base::duration;
using base::instant;
using base::milliseconds;
using machine::lease_event;
using machine::lease_machine;

namespace {

/// Renewals are due on a grid, so that one batch renews leases that were acquired at about the same
/// time. For a long lease the difference does not matter.
constexpr milliseconds grid{16};
constexpr milliseconds least_lease_on_grid{1000};

/// After a hold this short there are hardly any waiters, so its release may be deferred.
constexpr milliseconds brief_hold{1};

instant on_grid(instant when) noexcept {
    const duration remainder = when.time_since_epoch() % duration{grid};
    return remainder == duration::zero() ? when : when - remainder + grid;
}

} // namespace

hold::hold(client_core& core, holdfast::mode mode) noexcept
    : core_{core}, generation_{base::process_generation()}, mode_{mode} {}

bool hold::inherited() const noexcept { return generation_ != base::process_generation(); }

bool hold::valid() const noexcept { return remaining() > duration::zero(); }

duration hold::remaining() const noexcept {
    if (inherited()) { return {}; }
    const instant until{duration{valid_until_.load(std::memory_order_acquire)}};
    return std::max(until - core_.now(), duration::zero());
}

void hold::publish_deadline() noexcept {
    if (const auto reason = machine_.loss_reason()) {
        why_lost_.store(static_cast<int>(*reason), std::memory_order_release);
    }
    loss_at_deadline_.store(machine_.reason_at_deadline(), std::memory_order_relaxed);
    const auto until = machine_.holding() ? machine_.deadline().time_since_epoch().count() : 0;
    valid_until_.store(until, std::memory_order_release);
}

void hold::begin(engine::ticket&& ticket, std::uint64_t token, const machine::lease_terms& terms,
                 const lease_machine::beginning& began, instant now) noexcept {
    ticket_ = std::move(ticket);
    token_ = token;
    machine_.begin(terms, began);
    margin_ = terms.margin;
    lease_ = terms.lease;
    granted_by_hand_off_ = began.provisional;
    granted_at_ = now;
    counts_as_hold_ = true;
    core_.driver().listen(ticket_.owner.number, *this);
    feed({lease_event::tick, {}, {}}, now);
}

std::stop_token hold::lost() {
    return loss_signal_.token(core_.notifier(), machine_.loss_reason().has_value());
}

void hold::abandon(instant now) { feed({lease_event::abandon, {}, {}}, now); }

void hold::forget(instant now) {
    end_count(now);
    forgotten_ = true; // the reply to a renewal may still come
    core_.driver().wake_at(*this, base::never);
    core_.driver().unlisten(ticket_.owner.number);
    valid_until_.store(0, std::memory_order_release);
}

void hold::on_timer(instant now) {
    if (forgotten_) { return; }
    time_out_extends(now);
    if (release_caller_ != nullptr &&
        now >= release_caller_->until) { // the release itself continues
        core_.driver().ready(std::exchange(release_caller_, nullptr)->sleeper);
    }
    if (reports_to_observer_ && now >= report_release_by_) {
        reports_to_observer_ = false;
        report_release_failed("no answer yet; it is tried until the lease has ended");
    }
    retry(lease_event::tick, now);
}

void hold::on_hurry(instant now) { retry(lease_event::hurry, now); }

void hold::retry(lease_event event, instant now) noexcept {
    if (forgotten_) { return; }
    const auto actions = machine_.on({event, {}, {}}, now);
    if (actions.renew) { // also for earlier callers without a reply
        for (auto* const caller : extend_callers_) {
            caller->began = now;
            caller->lease = actions.renew_for;
        }
    }
    apply(actions, now);
}

void hold::on_answer(drive::purpose /*purpose*/, const engine::answer& answer, instant /*sent*/,
                     instant now) {
    auto event = lease_event::release_unknown;
    switch (answer.status) {
    case engine::op_status::released:
    case engine::op_status::handed_off: event = lease_event::release_done; break;
    case engine::op_status::not_held:
    case engine::op_status::lost: event = lease_event::release_void; break;
    case engine::op_status::failed:
        event = engine::worth_retrying(answer.error) ? lease_event::release_unknown
                                                     : lease_event::release_refused;
        break;
    default: break;
    }
    last_error_ = answer.error;
    if (!last_detail_.empty() || !answer.detail.empty()) { last_detail_ = answer.detail; }
    release_handed_off_ = answer.status == engine::op_status::handed_off;
    if (answer.status == engine::op_status::unknown) {
        core_.driver().metrics().on_reply_lost(drive::request_kind::release);
    }
    feed({event, {}, {}}, now);
}

void hold::on_beat(const engine::beat_answer& answer, instant sent, milliseconds lease,
                   instant now) {
    auto event = lease_event::renewal_unknown;
    if (answer.status == engine::op_status::renewed) { event = lease_event::renewed; }
    if (answer.status == engine::op_status::lost) { event = lease_event::gone; }
    const bool replaced =
        answer.status == engine::op_status::failed && answer.error == errc::store_foreign;
    if (replaced && !forgotten_) { // the record is no longer ours
        core_.report_event(holdfast::event::kind::renewal_failed, *this, answer.error,
                           answer.detail);
        event = lease_event::gone;
    }
    last_error_ = answer.error;
    last_detail_ = answer.detail;
    core_.driver().metrics().on_renewal_answer(answer.status);
    renewal_unanswered_ = false;
    feed({event, sent, lease}, now);
    complete_extends(sent, lease, event == lease_event::renewed, now);
    // Of a quorum some nodes may still have their votes. valid() is false by now.
    const bool leaves_votes =
        answer.status == engine::op_status::lost && answer.error == errc::no_quorum;
    if (leaves_votes && !forgotten_ && machine_.state() == machine::lease_state::lost) {
        lease_machine::actions give_back;
        give_back.release = true;
        apply(give_back, now);
    }
}

void hold::on_notice(const engine::notice& notice, instant now) {
    // The engine has reconnected and may have lost its data, or it doubts this hold.
    if (notice.type == engine::notice::kind::inbox_reset ||
        notice.type == engine::notice::kind::doubtful) {
        retry(lease_event::doubt, now);
        retry(lease_event::hurry, now);
        return;
    }
    // A token of 0 means any: an engine may not know which hold was broken.
    if (notice.type == engine::notice::kind::broken &&
        (notice.token == 0 || notice.token == token_)) {
        was_broken_ = true;
        feed({lease_event::taken, {}, {}}, now);
    }
}

void hold::on_shutdown() {
    if (!reports_to_observer_ || machine_.state() != machine::lease_state::releasing) { return; }
    report_release_failed("its client was gone before the answer came");
}

void hold::feed(const machine::lease_input& input, instant now) noexcept {
    if (forgotten_) { return; }
    apply(machine_.on(input, now), now);
}

void hold::apply(const lease_machine::actions& actions, instant now) noexcept {
    publish_deadline();
    if (!machine_.holding()) { end_count(now); }
    auto& driver = core_.driver();
    if (actions.renew) {
        renewal_unanswered_ = true;
        driver.beat(
            *this, actions.renew_for,
            [&] {
                return engine::beat_op::item{ticket_, false, actions.renew_for, ++renewals_,
                                             token_};
            },
            actions.renew_by);
    }
    if (actions.release) {
        const bool awaited = release_caller_ != nullptr;
        const bool can_wait = reports_to_observer_ && !awaited && !granted_by_hand_off_ &&
                              now - granted_at_ < brief_hold;
        const auto give_up =
            std::min(machine_.release_deadline(), base::later(now, core_.background_wait()));
        if (!core_.bundle_release(*this, awaited, can_wait, give_up)) {
            driver.send(
                *this, drive::purpose::release,
                [&] {
                    engine::op out{std::in_place_type<engine::release_op>};
                    auto& release = *std::get_if<engine::release_op>(&out);
                    release.ticket = ticket_;
                    release.awaited = awaited;
                    release.can_wait = can_wait;
                    release.token = token_;
                    return out;
                },
                give_up);
        }
    }
    if (actions.report_lost) { report_loss(now); }
    if (actions.report_trouble) {
        core_.report_event(event::kind::renewal_failed, *this, last_error_, last_detail_);
    }
    if (actions.report_recovered) { core_.report_event(event::kind::renewal_recovered, *this); }
    auto wake = actions.wake;
    if (wake < machine_.deadline() && lease_ >= least_lease_on_grid) {
        wake = std::min(on_grid(wake), machine_.deadline());
    }
    driver.wake_at(*this, std::min(wake, next_caller_timeout()));
    core_.unfinished().set(unfinished_entry_, is_unfinished());
    if (machine_.state() == machine::lease_state::ended) {
        driver.unlisten(ticket_.owner.number);
        if (!std::exchange(release_is_counted_, true)) {
            driver.metrics().on_released(machine_.ending(), release_handed_off_);
        }
        complete_release();
    }
}

/// The holder has it no longer.
void hold::end_count(instant now) noexcept {
    if (!std::exchange(counts_as_hold_, false)) { return; }
    core_.driver().metrics().on_hold_ended(now - granted_at_);
}

void hold::report_loss(instant now) noexcept {
    const auto reason = *machine_.loss_reason();
    core_.driver().metrics().on_lost(reason);
    loss_signal_.post(core_.notifier());
    core_.report_event([&] {
        return event{reason == loss::thread_exited ? event::kind::thread_exited : event::kind::lost,
                     ticket_.name,
                     ticket_.owner.text(),
                     token_,
                     make_error_code(errc::lost),
                     describe_loss(reason)};
    });
    core_.driver().unlisten(ticket_.owner.number);
    complete_extends(base::never, {}, false, {});
    if (const auto set = set_.lock()) { set->on_loss(*this, reason, now); }
}

} // namespace holdfast::core
