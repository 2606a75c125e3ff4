#include "support/faulty_engine.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <utility>

namespace holdfast::test {

using base::instant;

faulty_engine::faulty_engine(std::unique_ptr<seam::engine> real, std::shared_ptr<faults> how)
    : real_{std::move(real)}, how_{std::move(how)} {
    real_->attach(*this);
}

seam::capabilities faulty_engine::caps(primitive kind) const { return real_->caps(kind); }

void faulty_engine::attach(sink& to) { out_ = &to; }

void faulty_engine::submit(seam::op_id id, const seam::op& what, instant give_up) {
    ++how_->submitted;
    if (const auto* const beat = std::get_if<seam::beat_op>(&what)) {
        ++how_->batches;
        how_->largest_batch = std::max(how_->largest_batch.load(), beat->items.size());
    }
    if (how_->frozen()) {
        waiting_.push_back({id, what, give_up});
        return;
    }
    real_->submit(id, what, give_up);
}

void faulty_engine::cancel(seam::op_id id) { real_->cancel(id); }

void faulty_engine::pollables(std::vector<pollfd>& out) const { real_->pollables(out); }

instant faulty_engine::drive(std::span<const pollfd> ready, instant now) {
    if (!how_->frozen()) {
        // What was held up arrives now, even if its sender has long given up on it.
        for (const auto& one : std::exchange(waiting_, {})) {
            swallow_ = one.answered;
            real_->submit(one.id, one.what, one.give_up);
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
            lost.what = seam::fate::unknown;
            lost.error = make_error_code(errc::unavailable);
            lost.detail = "the connection is frozen";
            out_->answered(std::move(lost));
        }
    }
    return std::min(next, real_->drive(ready, now));
}

void faulty_engine::answered(seam::answer&& what) {
    if (swallow_) { return; }
    if (how_->loses_this()) {
        seam::answer lost;
        lost.id = what.id;
        lost.what = seam::fate::unknown;
        lost.error = make_error_code(errc::unavailable);
        lost.detail = "the answer was lost";
        out_->answered(std::move(lost));
        return;
    }
    out_->answered(std::move(what));
}

void faulty_engine::noticed(const seam::notice& what) {
    if (how_->frozen()) {
        ++how_->lost_notices;
    } else {
        out_->noticed(what);
    }
}

} // namespace holdfast::test
