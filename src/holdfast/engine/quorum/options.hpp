#pragma once
// How a quorum behaves, as its URL says.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/url.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace holdfast::engine::quorum {

struct quorum_settings {
    /// How long a node may take to answer; 0: a twentieth of the lease, at least `least_timeout`.
    base::milliseconds node_timeout{0};
    /// A waiter that was refused asks again after a random time from this range, or sooner when
    /// the nodes say that the lock may be free.
    base::milliseconds retry_min{50};
    base::milliseconds retry_max{250};
    unsigned tries = 0; ///< of one wait; 0: no limit
    /// Allowance for clocks that run at different rates; unset: 1 % of the lease and 2 ms.
    std::optional<base::milliseconds> drift{};
    /// The longest lease in the whole fleet: a node that lost its data votes again after it.
    base::milliseconds max_lease{60'000};
    bool rejoin_delay = true; ///< false: such a node votes at once
    std::uint64_t seed = 0;   ///< of random delays

    static constexpr base::milliseconds least_timeout{20};

    [[nodiscard]] base::milliseconds timeout_for(base::milliseconds lease) const noexcept;

    /// Throws error(invalid_url); the text names the key. Ignores keys that are not the quorum's.
    [[nodiscard]] static quorum_settings from(const url& url);
};

/// How long a vote for a lease lasts by this client's clock, whose rate may differ from the node's.
[[nodiscard]] constexpr base::duration longest_life(base::milliseconds lease) noexcept {
    return base::duration{lease} + base::duration{lease} / 100 + base::milliseconds{2};
}

/// The query keys that `quorum_settings::from` reads.
inline constexpr std::array<std::string_view, 7> option_keys{
    "node_timeout", "retry_min", "retry_max", "tries", "drift", "max_lease", "rejoin_delay"};

} // namespace holdfast::engine::quorum
