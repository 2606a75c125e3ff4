#pragma once
// Answers of the engine that have not been delivered yet.

#include "holdfast/engine/answers.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace holdfast::drive {

/// Reserves memory for the answer before an operation is submitted, so that add() never fails.
///
/// Thread safety: none.
class answer_queue {
public:
    [[nodiscard]] bool empty() const noexcept { return arrived_.empty(); }
    void reserve(std::size_t operations) {
        if (operations > room_) { grow(operations); }
    }
    void add(engine::answer&& answer) { arrived_.push_back(std::move(answer)); }

    /// Calls `handle` with each answer. Answers that arrive meanwhile stay for the next call.
    template <typename Handle>
    void handle_all(Handle handle) {
        handling_.swap(arrived_);
        for (const auto& answer : handling_) { handle(answer); }
        handling_.clear();
    }

private:
    void grow(std::size_t operations);

    std::vector<engine::answer> arrived_;
    std::vector<engine::answer> handling_; ///< kept for its memory
    std::size_t room_ = 0;
};

} // namespace holdfast::drive
