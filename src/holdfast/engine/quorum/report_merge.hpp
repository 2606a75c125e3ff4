#pragma once
// Makes one report of what the nodes say of a name.

#include <holdfast/lock_info.hpp>

#include <span>

namespace holdfast::engine::quorum {

/// Only those hold a name whose vote a majority of `nodes` has; their time is what is left until
/// that ends.
[[nodiscard]] lock_info merge(std::span<const lock_info> reports, unsigned nodes);

} // namespace holdfast::engine::quorum
