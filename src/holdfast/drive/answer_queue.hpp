#pragma once
// Answers that the engine has given and that nobody has handled yet.

#include "holdfast/engine/answers.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace holdfast::drive {

/// Has room for an answer to every operation before that is submitted: the engine must never be
/// unable to give one.
///
/// Thread safety: none.
class answer_queue {
public:
    [[nodiscard]] bool empty() const noexcept { return arrived_.empty(); }
    void reserve(std::size_t operations) {
        if (operations > room_) { grow(operations); }
    }
    void add(engine::answer&& answer) { arrived_.push_back(std::move(answer)); }

    /// Calls `handle` with each. Answers that arrive meanwhile are kept for the next time.
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
