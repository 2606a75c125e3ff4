#pragma once
// Checks of a request that do not depend on the state of the name.

#include "holdfast/engine/answers.hpp"
#include "holdfast/engine/ops.hpp"

#include <holdfast/error.hpp>

#include <optional>
#include <string>

namespace holdfast::engine::admission {

/// A failed answer, or empty if the request is valid. `admission_rule::acquire` calls it too; an
/// engine may call it before it locks or opens anything.
[[nodiscard]] std::optional<answer> reject_invalid(const acquire_op& operation);

[[nodiscard]] std::optional<answer> reject_invalid(const acquire_set_op& set);

[[nodiscard]] bool lease_in_range(base::milliseconds lease) noexcept;

/// An answer with op_status::failed.
[[nodiscard]] answer failed_answer(errc code, std::string detail);

/// The failed answer to a request for more permits than there are.
[[nodiscard]] answer too_many_permits(unsigned permits, unsigned limit);

} // namespace holdfast::engine::admission
