#pragma once
// Holders and waiters in words.

#include <holdfast/lock_info.hpp>

#include <string>

namespace holdfast::cli {

/// Foreign layouts store only the owner and the end of the lease.
[[nodiscard]] bool knows_owner_only(const party& party);
/// Whether the hold ends by itself: one of a foreign layout may have no expiry.
[[nodiscard]] bool has_expiry(const party& party);

/// `pid 17 on web3 for 2m (nightly)`; `age_words` come before the age.
[[nodiscard]] std::string describe(const party& holder, const char* age_words = " for ");
/// `held by pid 17 on web3 for 2m (nightly), pid 18 on ...`; `not held` without holders.
[[nodiscard]] std::string describe_holders(const lock_info& info);

[[nodiscard]] const char* mode_name(mode mode) noexcept;
[[nodiscard]] const char* kind_name(primitive kind) noexcept;

} // namespace holdfast::cli
