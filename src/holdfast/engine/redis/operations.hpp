#pragma once
// The pool of an engine's operations.

#include "holdfast/engine/engine.hpp"
#include "holdfast/engine/redis/operation.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace holdfast::engine::redis {

/// Starts operations, finds them by id or deadline, and reuses them when no `operation_ref` is
/// left. In a steady state it allocates nothing.
///
/// Thread safety: none. It outlives every `operation_ref`.
class operations {
public:
    /// Where the answers go; once, before the first `start`.
    void attach(sink& sink) noexcept { sink_ = &sink; }

    [[nodiscard]] operation_ref start(op_id id, base::instant give_up);
    /// For requests of the layout itself: completed from the start, so it is never answered.
    [[nodiscard]] operation_ref start_internal();

    void cancel(op_id id) noexcept;
    /// Completes all open operations without an answer.
    void forget_all() noexcept;

    /// Calls `on_time_out(operation)` for those that are open and due; it must complete them.
    template <typename OnTimeOut>
    void expire(base::instant now, OnTimeOut on_time_out) {
        earliest_ = base::never;
        for (operation* const each : active_) {
            if (!each->is_open()) { continue; }
            if (each->give_up() > now) {
                earliest_ = std::min(earliest_, each->give_up());
            } else {
                on_time_out(*each);
            }
        }
    }
    /// Calls `visit(operation)` for those that are open.
    template <typename Visit>
    void for_each_open(Visit visit) {
        for (operation* const each : active_) {
            if (each->is_open()) { visit(*each); }
        }
    }
    /// No operation is due before this.
    [[nodiscard]] base::instant earliest() const noexcept { return earliest_; }
    [[nodiscard]] std::size_t active() const noexcept { return active_.size(); }

private:
    friend class operation;
    friend class operation_ref;

    [[nodiscard]] operation_ref take(op_id id, base::instant give_up, operation::state state);
    void recycle(operation& operation) noexcept;

    sink* sink_ = nullptr;
    std::vector<std::unique_ptr<operation>> all_;
    std::vector<operation*> active_;
    std::vector<operation*> free_; ///< has capacity for all, so that recycling never allocates
    base::instant earliest_ = base::never;
};

} // namespace holdfast::engine::redis
