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

void faulty_engine::attach(sink& to) { out_ = &to; }

void faulty_engine::submit(seam::op_id id, const seam::op& operation, instant give_up) {
    ++faults_->submitted;
    if (const auto* const beat = std::get_if<seam::beat_op>(&operation)) {
        ++faults_->batches;
        faults_->largest_batch = std::max(faults_->largest_batch.load(), beat->items.size());
    }
    if (faults_->frozen()) {
        waiting_.push_back({id, operation, give_up});
        return;
    }
    real_->submit(id, operation, give_up);
}

void faulty_engine::cancel(seam::op_id id) { real_->cancel(id); }

void faulty_engine::pollables(std::vector<pollfd>& out) const { real_->pollables(out); }

instant faulty_engine::drive(std::span<const pollfd> ready, instant now) {
    if (!faults_->frozen()) {
        // What was held up arrives now, even if its sender has long given up on it.
        for (const auto& one : std::exchange(waiting_, {})) {
            swallow_ = one.answered;
            real_->submit(one.id, one.operation, one.give_up);
            swallow_ = false;
        }
    }
    // A test thaws from another thread: look soon.
    auto next = waiting_.empty() ? base::never : now + base::milliseconds{5};
    for (auto& one : waiting_) {
        if (!one.answered && one.give_up <= now) {
            one.answered = true;
            seam::answer lost;
            lost.id = one.id;
            lost.status = seam::op_status::unknown;
            lost.error = make_error_code(errc::unavailable);
            lost.detail = "the connection is frozen";
            out_->answered(std::move(lost));
        }
    }
    return std::min(next, real_->drive(ready, now));
}

void faulty_engine::answered(seam::answer&& answer) {
    if (swallow_) { return; }
    if (faults_->loses_this()) {
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
