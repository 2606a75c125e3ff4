#pragma once
// Operations that wait for a connection.

#include "holdfast/engine/ops.hpp"
#include "holdfast/engine/redis/operation.hpp"

#include <algorithm>
#include <deque>
#include <utility>

namespace holdfast::engine::redis {

/// First in, first out; each with a copy of its op.
///
/// Thread safety: none.
class backlog {
public:
    [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
    void add(operation_ref operation, const op& op) {
        entries_.push_back({std::move(operation), op});
    }
    /// Calls `send(operation, op)` for each in turn; those for which it returns false stay.
    template <typename Send>
    void send_each(Send send) {
        auto waiting = std::exchange(entries_, {});
        for (auto& each : waiting) {
            if (!send(*each.operation, each.op)) { entries_.push_back(std::move(each)); }
        }
    }
    /// Whether this operation waits, and is not answered or cancelled.
    [[nodiscard]] bool has(op_id id) const noexcept {
        return std::any_of(entries_.begin(), entries_.end(), [id](const entry& each) {
            return each.operation->is_open() && each.operation->id() == id;
        });
    }
    /// Drops operations that were answered, cancelled or forgotten meanwhile.
    void drop_completed() noexcept {
        std::erase_if(entries_, [](const entry& each) { return !each.operation->is_open(); });
    }

private:
    struct entry {
        operation_ref operation;
        holdfast::engine::op op;
    };
    std::deque<entry> entries_;
};

} // namespace holdfast::engine::redis
