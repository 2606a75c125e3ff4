#include "holdfast/drive/client_metrics.hpp"

#include <algorithm>

namespace holdfast::drive {

duration_histogram relaxed_histogram::get() const noexcept {
    duration_histogram out;
    for (std::size_t range = 0; range < counts_.size(); ++range) {
        out.counts[range] = counts_[range].get();
    }
    out.sum = std::chrono::nanoseconds{static_cast<std::int64_t>(sum_.get())};
    return out;
}

void client_metrics::on_renewal_answer(engine::op_status status) noexcept {
    switch (status) {
    case engine::op_status::renewed:
    case engine::op_status::reclaimed: count(renewals_.renewed); break;
    case engine::op_status::lost: count(renewals_.lost); break;
    case engine::op_status::failed: count(renewals_.failed); break;
    default:
        count(renewals_.unknown);
        on_reply_lost(request_kind::renewal);
        break;
    }
}

void client_metrics::on_lost(loss cause) noexcept {
    switch (cause) {
    case loss::expired: count(losses_.expired); break;
    case loss::taken: count(losses_.taken); break;
    case loss::max_hold: count(losses_.max_hold); break;
    case loss::thread_exited: count(losses_.thread_exited); break;
    }
}

metrics client_metrics::get() const noexcept {
    const auto acquires = [this](machine::waiter_machine::outcome outcome) {
        return acquires_[static_cast<std::size_t>(outcome)].get();
    };
    const auto releases = [this](machine::lease_ending ending) {
        return releases_[static_cast<std::size_t>(ending)].get();
    };
    const auto unknown = [this](request_kind request) {
        return unknown_[static_cast<std::size_t>(request)].get();
    };
    using outcome = machine::waiter_machine::outcome;
    using ending = machine::lease_ending;
    metrics out;
    // What has ended is read first: a hold that ends meanwhile may only make too many seem open.
    out.hold_time = hold_time_.get();
    const auto waits_ended = waits_ended_.get();
    out.acquires = {acquires(outcome::granted),   acquires(outcome::busy),
                    acquires(outcome::timed_out), acquires(outcome::tried_enough),
                    acquires(outcome::cancelled), acquires(outcome::unavailable),
                    acquires(outcome::refused)};
    out.waits = waits_begun_.get();
    out.hand_offs = hand_offs_.get();
    out.renewals = {renewals_.renewed.get(), renewals_.lost.get(), renewals_.unknown.get(),
                    renewals_.failed.get()};
    out.releases = {releases(ending::released), handed_off_.get(), releases(ending::not_held),
                    releases(ending::unknown), releases(ending::refused)};
    out.losses = {losses_.expired.get(), losses_.taken.get(), losses_.max_hold.get(),
                  losses_.thread_exited.get()};
    out.unknown_outcomes = {unknown(request_kind::acquire), unknown(request_kind::heartbeat),
                            unknown(request_kind::renewal), unknown(request_kind::release),
                            unknown(request_kind::withdrawal)};
    out.reconnects = reconnects_.get();
    out.wait_time = wait_time_.get();
    // The other reads are not ordered, so the difference could be below zero for a moment.
    out.holds_now = out.acquires.granted - std::min(out.acquires.granted, out.hold_time.count());
    out.waits_now = out.waits - std::min(out.waits, waits_ended);
    return out;
}

} // namespace holdfast::drive
