#include "sim/world/flawed_engine.hpp"

#include "holdfast/machine/lease_terms.hpp"

#include <utility>
#include <variant>

namespace holdfast::sim {

namespace {

/// The engine grants less than its client believes by as much as the client allows for drift.
base::milliseconds without_drift(base::milliseconds lease) {
    return std::chrono::floor<base::milliseconds>(lease - machine::drift(lease));
}

seam::op without_drift(seam::op operation) {
    if (auto* const acquire = std::get_if<seam::acquire_op>(&operation)) {
        acquire->lease = without_drift(acquire->lease);
    } else if (auto* const beat = std::get_if<seam::beat_op>(&operation)) {
        for (auto& item : beat->items) {
            if (!item.waiting) { item.lease = without_drift(item.lease); }
        }
    }
    return operation;
}

} // namespace

void flawed_engine::submit(seam::op_id id, const seam::op& operation, base::instant give_up) {
    if (planted_ == mistake::no_drift) {
        return real_->submit(id, without_drift(operation), give_up);
    }
    if (const auto* const acquire = std::get_if<seam::acquire_op>(&operation);
        planted_ == mistake::no_validity_check && acquire != nullptr) {
        const auto number = acquire->ticket.owner.number;
        if (const auto kept = kept_grants_.extract(number)) {
            seam::answer out;
            out.id = id;
            out.status = seam::op_status::granted;
            out.token = kept.mapped();
            return out_->answered(std::move(out));
        }
        acquires_[id] = number;
    }
    real_->submit(id, operation, give_up);
}

/// The client must ask again, and then gets the same grant: its lease counts from there.
void flawed_engine::answered(seam::answer&& answer) {
    if (const auto found = acquires_.extract(answer.id)) {
        if (answer.status == seam::op_status::granted) {
            kept_grants_[found.mapped()] = answer.token;
            answer.status = seam::op_status::failed;
            answer.error = make_error_code(errc::unavailable);
            answer.retry_now = true;
        }
    }
    out_->answered(std::move(answer));
}

/// A quorum doubts a hold when one node says that it was broken.
void flawed_engine::noticed(const seam::notice& notice) {
    auto changed = notice;
    if (planted_ == mistake::break_believed && notice.type == seam::notice::kind::doubtful) {
        changed.type = seam::notice::kind::broken;
    }
    out_->noticed(changed);
}

} // namespace holdfast::sim
