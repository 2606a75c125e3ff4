#pragma once
// What is wrong with a request for a hold by itself, whatever the state of the name.

#include "holdfast/engine/answers.hpp"
#include "holdfast/engine/ops.hpp"

#include <holdfast/error.hpp>

#include <optional>
#include <string>

namespace holdfast::engine::admission {

/// failed, or empty if nothing is wrong. `gate::acquire` checks it too; an engine may do so before
/// it locks or opens anything.
[[nodiscard]] std::optional<answer> wrong_request(const acquire_op& operation);

[[nodiscard]] bool lease_in_range(base::milliseconds lease) noexcept;

/// A failed answer.
[[nodiscard]] answer refuse(errc code, std::string detail);

[[nodiscard]] const char* word(primitive kind) noexcept;

} // namespace holdfast::engine::admission
