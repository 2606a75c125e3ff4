#pragma once
// Mistakes that can be planted: a simulation that does not find them proves nothing.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::sim {

enum class mistake : std::uint8_t {
    none,
    no_validity_check,    ///< a lease counts from its answer, not from its request
    no_drift,             ///< no allowance for clocks of different rates
    wall_clock,           ///< deadlines depend on a clock that is stepped
    release_granted_only, ///< a failed ballot withdraws only the votes that it knows of
    unchecked_tokens,     ///< nodes accept a token that is not above their highest
    token_not_raised,     ///< a repeated vote keeps its first token
    tombstone_kept,       ///< a withdrawn ticket can never vote again
    break_believed,       ///< one node's break ends a lease
    reclaim_counted,      ///< a vote that was just made again counts at once
    no_rejoin_delay,      ///< a node that lost its data votes at once
    no_not_after,         ///< an acquire that arrives late is granted
    queues_on_nodes,      ///< nodes of a quorum keep queues
    shortening_renewals,  ///< a renewal that arrives late shortens the lease
};

struct mistake_entry {
    mistake value;
    std::string_view name;
    bool needs_quorum;
};

inline constexpr std::array<mistake_entry, 13> all_mistakes{{
    {mistake::no_validity_check, "no_validity_check", false},
    {mistake::no_drift, "no_drift", false},
    {mistake::wall_clock, "wall_clock", false},
    {mistake::release_granted_only, "release_granted_only", true},
    {mistake::unchecked_tokens, "unchecked_tokens", true},
    {mistake::token_not_raised, "token_not_raised", true},
    {mistake::tombstone_kept, "tombstone_kept", true},
    {mistake::break_believed, "break_believed", true},
    {mistake::reclaim_counted, "reclaim_counted", true},
    {mistake::no_rejoin_delay, "no_rejoin_delay", true},
    {mistake::no_not_after, "no_not_after", false},
    {mistake::queues_on_nodes, "queues_on_nodes", true},
    {mistake::shortening_renewals, "shortening_renewals", false},
}};

[[nodiscard]] std::string_view name_of(mistake mistake) noexcept;
/// Empty: there is no such mistake.
[[nodiscard]] std::optional<mistake> mistake_named(std::string_view name) noexcept;

/// The text of a script with the mistake in it, if it concerns this script. Throws
/// std::runtime_error if the script no longer has the part that the mistake changes.
[[nodiscard]] std::string plant(mistake mistake, std::string_view text);

} // namespace holdfast::sim
