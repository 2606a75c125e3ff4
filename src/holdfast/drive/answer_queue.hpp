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

    /// Calls `handle` with each answer. It may submit operations, and so call `reserve`. Answers
    /// that arrive meanwhile stay for the next call.
    template <typename Handle>
    void handle_all(Handle handle) {
        auto handling = std::exchange(spare_, {});
        handling.swap(arrived_);
        for (const auto& answer : handling) { handle(answer); }
        handling.clear();
        if (handling.capacity() > spare_.capacity()) { spare_.swap(handling); }
    }

private:
    void grow(std::size_t operations);

    std::vector<engine::answer> arrived_;
    std::vector<engine::answer> spare_; ///< empty; kept for its memory
    std::size_t room_ = 0;
};

} // namespace holdfast::drive
