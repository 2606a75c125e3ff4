#include "holdfast/core/hold.hpp"

#include "holdfast/base/process.hpp"
#include "holdfast/core/client_core.hpp"

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

/// After a hold this short hardly anyone waits.
constexpr milliseconds brief{1};

instant on_grid(instant when) noexcept {
    const duration past = when.time_since_epoch() % duration{grid};
    return past == duration::zero() ? when : when - past + grid;
}

} // namespace

/// Made by the first lost(), so that a loss can be signalled without memory.
class hold::loss_signal final : public drive::notifier::task {
public:
    void run() noexcept override { stop.request_stop(); }
    std::stop_source stop;
};

hold::hold(client_core& core, holdfast::mode mode) noexcept
    : core_{core}, generation_{base::process_generation()}, mode_{mode} {}

bool hold::inherited() const noexcept { return generation_ != base::process_generation(); }

bool hold::valid() const noexcept { return remaining() > duration::zero(); }

duration hold::remaining() const noexcept {
    if (inherited()) { return {}; }
    const instant until{duration{valid_until_.load(std::memory_order_acquire)}};
    return std::max(until - core_.now(), duration::zero());
}

std::optional<loss> hold::why_lost() const noexcept {
    const auto why = why_lost_.load(std::memory_order_acquire);
    return why < 0 ? std::nullopt : std::optional{static_cast<loss>(why)};
}

void hold::publish() noexcept {
    const bool holding = machine_.state() == machine::lease_state::held ||
                         machine_.state() == machine::lease_state::renewing;
    const auto until = holding ? machine_.deadline().time_since_epoch().count() : 0;
    valid_until_.store(until, std::memory_order_release);
}

void hold::begin(engine::ticket&& ticket, std::uint64_t token, const machine::lease_terms& terms,
                 const lease_machine::beginning& began, instant now) noexcept {
    ticket_ = std::move(ticket);
    token_ = token;
    machine_ = lease_machine{terms, began};
    margin_ = terms.margin;
    lease_ = terms.lease;
    handed_ = began.provisional;
    since_ = now;
    core_.drive().listen(ticket_.owner.number, *this);
    feed({lease_event::tick, {}, {}}, now);
}

std::stop_token hold::lost() {
    if (!signal_) {
        auto signal = std::make_shared<loss_signal>();
        if (machine_.why()) {
            // No callback can be registered yet: this runs no user code under the driver's mutex.
            signal->run();
        } else {
            core_.notify().start();
        }
        signal_ = std::move(signal);
    }
    return signal_->stop.get_token();
}

void hold::abandon(instant now) { feed({lease_event::abandon, {}, {}}, now); }

void hold::forget() {
    forgotten_ = true; // the reply to a renewal may still come
    core_.drive().wake_at(*this, base::never);
    core_.drive().unlisten(ticket_.owner.number);
    valid_until_.store(0, std::memory_order_release);
}

void hold::on_timer(instant now) {
    if (forgotten_) { return; }
    end_extends(now);
    if (releaser_ != nullptr && now >= releaser_->until) { // the release itself continues
        core_.drive().ready(std::exchange(releaser_, nullptr)->sleep);
    }
    if (unheard_ && now >= tell_release_by_) {
        unheard_ = false;
        tell_release_failed("no answer yet; it is tried until the lease has ended");
    }
    retry(lease_event::tick, now);
}

void hold::on_hurry(instant now) { retry(lease_event::hurry, now); }

void hold::retry(lease_event why, instant now) noexcept {
    if (forgotten_) { return; }
    const auto todo = machine_.on({why, {}, {}}, now);
    if (todo.renew) { // also for earlier callers without a reply
        for (auto* const caller : extenders_) {
            caller->began = now;
            caller->lease = todo.renew_for;
        }
    }
    apply(todo, now);
}

void hold::on_answer(drive::purpose /*of*/, const engine::answer& answer, instant /*sent*/,
                     instant now) {
    auto event = lease_event::release_unknown;
    switch (answer.status) {
    case engine::op_status::released:
    case engine::op_status::handed_off: event = lease_event::release_done; break;
    case engine::op_status::not_held:
    case engine::op_status::lost: event = lease_event::release_void; break;
    case engine::op_status::failed:
        event = answer.error == errc::unavailable ? lease_event::release_unknown
                                                  : lease_event::release_refused;
        break;
    default: break;
    }
    last_error_ = answer.error;
    last_detail_ = answer.detail;
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
        core_.tell(holdfast::event::kind::renewal_failed, *this, answer.error, answer.detail);
        event = lease_event::gone;
    }
    last_error_ = answer.error;
    last_detail_ = answer.detail;
    feed({event, sent, lease}, now);
    answer_extends(sent, lease, event == lease_event::renewed, now);
}

void hold::on_notice(const engine::notice& notice, instant now) {
    // The engine has reconnected and may have lost its data.
    if (notice.type == engine::notice::kind::inbox_reset) {
        retry(lease_event::doubt, now);
        retry(lease_event::hurry, now);
        return;
    }
    // A token of 0 means any: an engine may not know which hold was broken.
    if (notice.type == engine::notice::kind::broken &&
        (notice.token == 0 || notice.token == token_)) {
        feed({lease_event::taken, {}, {}}, now);
    }
}

void hold::on_shutdown() {
    if (!unheard_ || machine_.state() != machine::lease_state::releasing) { return; }
    tell_release_failed("its client was gone before the answer came");
}

void hold::feed(const machine::lease_input& input, instant now) noexcept {
    if (forgotten_) { return; }
    apply(machine_.on(input, now), now);
}

void hold::apply(const lease_machine::actions& todo, instant now) noexcept {
    publish();
    auto& drive = core_.drive();
    if (todo.renew) {
        drive.beat(
            *this, todo.renew_for,
            [&] {
                return engine::beat_op::item{ticket_, false, todo.renew_for, ++renewals_};
            },
            todo.renew_by);
    }
    if (todo.release) {
        const bool awaited = releaser_ != nullptr;
        const bool can_wait = unheard_ && !awaited && !handed_ && now - since_ < brief;
        drive.send(
            *this, drive::purpose::release,
            [&] {
                return engine::release_op{ticket_, awaited, can_wait};
            },
            std::min(machine_.release_until(), base::later(now, core_.background_wait())));
    }
    if (todo.tell_lost) { tell_lost(); }
    if (todo.tell_trouble) {
        core_.tell(event::kind::renewal_failed, *this, last_error_, last_detail_);
    }
    if (todo.tell_recovered) { core_.tell(event::kind::renewal_recovered, *this); }
    auto wake = todo.wake;
    if (wake < machine_.deadline() && lease_ >= least_lease_on_grid) {
        wake = std::min(on_grid(wake), machine_.deadline());
    }
    drive.wake_at(*this, std::min(wake, callers_end()));
    core_.unfinished().set(unreleased_, is_unfinished());
    if (machine_.state() == machine::lease_state::ended) {
        drive.unlisten(ticket_.owner.number);
        answer_release();
    }
}

void hold::tell_lost() noexcept {
    const auto why = *machine_.why();
    why_lost_.store(static_cast<int>(why), std::memory_order_release);
    if (signal_) { core_.notify().run(signal_); }
    core_.tell(why == loss::thread_exited ? event::kind::thread_exited : event::kind::lost, *this,
               make_error_code(errc::lost), describe(why));
    core_.drive().unlisten(ticket_.owner.number);
    answer_extends(base::never, {}, false, {});
}

const char* describe(loss why) noexcept {
    switch (why) {
    case loss::expired: return "it was not renewed in time";
    case loss::taken: return "the engine no longer knows it: broken, or its data was lost";
    case loss::max_hold: return "max_hold is over";
    case loss::thread_exited: return "the thread that held it has ended";
    }
    return "";
}

} // namespace holdfast::core
