#pragma once
// Which lock an operation is about.

#include "holdfast/engine/ops.hpp"

#include <string_view>

namespace holdfast::engine::redis {

struct op_target {
    /// How that lock is written. All items of a batch are written in the same way.
    const lock_format* format;
    /// Its name, by which a topology finds the node; of a batch that of its first item; empty if
    /// the operation is about no lock.
    std::string_view name;
};

[[nodiscard]] op_target target_of(const op& op) noexcept;

} // namespace holdfast::engine::redis
