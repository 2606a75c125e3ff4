#include "holdfast/engine/redis/operations.hpp"

#include <algorithm>
#include <cassert>
#include <exception>
#include <utility>

namespace holdfast::engine::redis {

void operation::start(op_id id, base::instant give_up, state initial) noexcept {
    id_ = id;
    give_up_ = give_up;
    state_ = initial;
    channel = nullptr;
    forget_requests();
    page.reset();
    join.reset();
    routing.start();
}

void operation::complete(answer&& answer) {
    if (!is_open()) { return; }
    state_ = state::completed;
    answer.id = id_;
    if (receiver) { return receiver->on_answer(*this, std::move(answer)); }
    pool_->sink_->answered(std::move(answer));
}

void operation::complete(op_status status) {
    if (!is_open()) { return; }
    answer out;
    out.status = status;
    complete(std::move(out));
}

void operation::complete(report&& report) {
    if (!is_open()) { return; }
    answer out;
    out.status = op_status::reported;
    out.report = std::make_shared<const holdfast::engine::report>(std::move(report));
    complete(std::move(out));
}

void operation::fail(std::error_code code, const std::string& detail, op_status status,
                     bool retry_now) {
    if (!is_open()) { return; }
    answer out;
    out.status = status;
    out.error = code;
    out.detail = detail;
    out.retry_now = retry_now;
    complete(std::move(out));
}

void operation_ref::release() noexcept {
    operation& dropped = *std::exchange(operation_, nullptr);
    if (--dropped.uses_ == 0) { dropped.pool_->recycle(dropped); }
}

operation_ref operations::take(op_id id, base::instant give_up, operation::state state) {
    if (free_.empty()) {
        if (active_.capacity() <= all_.size()) {
            constexpr std::size_t least = 8;
            const auto room = std::max(least, 2 * all_.size());
            free_.reserve(room);
            active_.reserve(room);
        }
        all_.push_back(std::make_unique<operation>());
        all_.back()->pool_ = this;
        free_.push_back(all_.back().get());
    }
    operation& taken = *free_.back();
    free_.pop_back();
    taken.start(id, give_up, state);
    taken.active_index_ = active_.size();
    active_.push_back(&taken);
    earliest_ = std::min(earliest_, give_up);
    return operation_ref{taken};
}

operation_ref operations::start(op_id id, base::instant give_up) {
    return take(id, give_up, operation::state::open);
}

operation_ref operations::start_internal() {
    return take(0, base::never, operation::state::completed);
}

void operations::recycle(operation& operation) noexcept {
    // An open operation must not be dropped, except while an exception leads to `forget_all`.
    assert(!operation.is_open() || std::uncaught_exceptions() > 0);
    operation.state_ = operation::state::completed;
    operation.receiver.reset();
    active_[operation.active_index_] = active_.back();
    active_[operation.active_index_]->active_index_ = operation.active_index_;
    active_.pop_back();
    free_.push_back(&operation);
}

void operations::cancel(op_id id) noexcept {
    for (operation* const each : active_) {
        if (each->is_open() && each->id() == id) { each->state_ = operation::state::cancelled; }
    }
}

void operations::forget_all() noexcept {
    for (operation* const each : active_) {
        if (each->is_open()) { each->state_ = operation::state::completed; }
    }
    earliest_ = base::never;
}

} // namespace holdfast::engine::redis
