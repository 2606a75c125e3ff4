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
    run_id_as_identity,   ///< the server's run identifies its data, and not its replication id
    grace_from_claim,     ///< the grace period begins before enough replicas follow
    no_token_check,       ///< a hold is made again although a higher token is known
};

/// Which deployments can show it.
enum class mistake_scope : std::uint8_t { any, quorum, grace, failover };

struct mistake_entry {
    mistake value;
    std::string_view name;
    mistake_scope scope;
};

inline constexpr std::array<mistake_entry, 16> all_mistakes{{
    {mistake::no_validity_check, "no_validity_check", mistake_scope::any},
    {mistake::no_drift, "no_drift", mistake_scope::any},
    {mistake::wall_clock, "wall_clock", mistake_scope::any},
    {mistake::release_granted_only, "release_granted_only", mistake_scope::quorum},
    {mistake::unchecked_tokens, "unchecked_tokens", mistake_scope::quorum},
    {mistake::token_not_raised, "token_not_raised", mistake_scope::quorum},
    {mistake::tombstone_kept, "tombstone_kept", mistake_scope::quorum},
    {mistake::break_believed, "break_believed", mistake_scope::quorum},
    {mistake::reclaim_counted, "reclaim_counted", mistake_scope::quorum},
    {mistake::no_rejoin_delay, "no_rejoin_delay", mistake_scope::quorum},
    {mistake::no_not_after, "no_not_after", mistake_scope::any},
    {mistake::queues_on_nodes, "queues_on_nodes", mistake_scope::quorum},
    {mistake::shortening_renewals, "shortening_renewals", mistake_scope::any},
    {mistake::run_id_as_identity, "run_id_as_identity", mistake_scope::failover},
    {mistake::grace_from_claim, "grace_from_claim", mistake_scope::failover},
    {mistake::no_token_check, "no_token_check", mistake_scope::grace},
}};

[[nodiscard]] std::string_view name_of(mistake mistake) noexcept;
[[nodiscard]] mistake_scope scope_of(mistake mistake) noexcept;
/// Empty: there is no such mistake.
[[nodiscard]] std::optional<mistake> mistake_named(std::string_view name) noexcept;

/// The text of a script with the mistake in it, if it concerns this script. Throws
/// std::runtime_error if the script no longer has the part that the mistake changes.
[[nodiscard]] std::string plant(mistake mistake, std::string_view text);

} // namespace holdfast::sim
