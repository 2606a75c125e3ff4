#pragma once
// The operations on a hold that a lease and a locked mutex share.

#include "holdfast/core/client_core.hpp"

#include <cstdint>

namespace holdfast::api {

/// Releases without throwing, as unlock() must; failures go to the observer.
void unlock(core::client_core& core, core::hold& hold) noexcept;

/// Throws error(unsupported) if the hold has no token, i.e. if it is 0, or one that does not fence.
[[nodiscard]] std::uint64_t token_of(const core::client_core& core, const core::hold& hold);

} // namespace holdfast::api
