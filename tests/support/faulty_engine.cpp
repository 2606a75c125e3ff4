#include "support/faulty_engine.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <utility>

namespace holdfast::test {

using base::instant;

faulty_engine::faulty_engine(std::unique_ptr<seam::engine> real, std::shared_ptr<faults> faults)
    : real_{std::move(real)}, faults_{std::move(faults)} {
    real_->attach(*this);
}

seam::capabilities faulty_engine::caps(primitive kind) const { return real_->caps(kind); }

void faulty_engine::attach(sink& target) { out_ = &target; }

void faulty_engine::submit(seam::op_id id, const seam::op& operation, instant give_up) {
    ++faults_->submitted;
    if (const auto* const beat = std::get_if<seam::beat_op>(&operation)) {
        ++faults_->batches;
        faults_->largest_batch = std::max(faults_->largest_batch.load(), beat->items.size());
    }
    if (faults_->frozen()) {
        delayed_.push_back({id, operation, give_up});
        return;
    }
    real_->submit(id, operation, give_up);
}

void faulty_engine::cancel(seam::op_id id) { real_->cancel(id); }

void faulty_engine::pollables(std::vector<pollfd>& out) const { real_->pollables(out); }

instant faulty_engine::drive(std::span<const pollfd> ready, instant now) {
    if (!faults_->frozen()) {
        // Delayed requests arrive now, even those that were answered `unknown` meanwhile.
        for (const auto& request : std::exchange(delayed_, {})) {
            drops_answer_ = request.answered;
            real_->submit(request.id, request.operation, request.give_up);
            drops_answer_ = false;
        }
    }
    // The test thaws it from another thread: check again soon.
    auto next = delayed_.empty() ? base::never : now + base::milliseconds{5};
    for (auto& request : delayed_) {
        if (!request.answered && request.give_up <= now) {
            request.answered = true;
            seam::answer lost;
            lost.id = request.id;
            lost.status = seam::op_status::unknown;
            lost.error = make_error_code(errc::unavailable);
            lost.detail = "the connection is frozen";
            out_->answered(std::move(lost));
        }
    }
    return std::min(next, real_->drive(ready, now));
}

void faulty_engine::answered(seam::answer&& answer) {
    if (drops_answer_) { return; }
    if (faults_->take_lost_answer()) {
        seam::answer lost;
        lost.id = answer.id;
        lost.status = seam::op_status::unknown;
        lost.error = make_error_code(errc::unavailable);
        lost.detail = "the answer was lost";
        out_->answered(std::move(lost));
        return;
    }
    out_->answered(std::move(answer));
}

void faulty_engine::noticed(const seam::notice& notice) {
    if (faults_->frozen()) {
        ++faults_->lost_notices;
    } else {
        out_->noticed(notice);
    }
}

} // namespace holdfast::test
