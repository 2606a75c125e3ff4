#pragma once
// The lock that an operation concerns.

#include "holdfast/engine/ops.hpp"

#include <string_view>

namespace holdfast::engine::redis {

struct op_target {
    /// The format of that lock. All items of a batch have the same.
    const lock_format* format;
    /// Its name, by which a topology finds the node; for a batch that of its first item; empty if
    /// the operation concerns no lock.
    std::string_view name;
};

[[nodiscard]] op_target target_of(const op& op) noexcept;

} // namespace holdfast::engine::redis
