#pragma once
// What both a lease and a locked mutex do with their hold.

#include "holdfast/core/client_core.hpp"

#include <cstdint>

namespace holdfast::api {

/// Releases without throwing, as unlock() must; failures go to the observer.
void unlock(core::client_core& core, core::hold& hold) noexcept;

/// Throws error(unsupported) where there are no tokens: a token is never 0.
[[nodiscard]] std::uint64_t token_of(const core::hold& hold);

} // namespace holdfast::api
