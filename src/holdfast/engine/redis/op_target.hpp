#pragma once
// Which lock an operation is about.

#include "holdfast/engine/ops.hpp"

#include <string_view>

namespace holdfast::engine::redis {

/// How that lock is written. All items of a batch are written in the same way.
[[nodiscard]] const lock_format& format_of(const op& op) noexcept;
/// Its name, by which a topology finds the node; of a batch that of its first item; empty if it is
/// about no lock.
[[nodiscard]] std::string_view name_of(const op& op) noexcept;

} // namespace holdfast::engine::redis
