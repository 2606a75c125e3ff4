#pragma once
// The Lua scripts of all layouts; their texts are in scripts/.

#include <array>
#include <string_view>

namespace holdfast::engine::redis {

struct script {
    std::string_view name;
    std::string_view sha; ///< its name on the server once it is loaded
    std::string_view text;
};

namespace scripts {
extern const script acquire;
extern const script release;
extern const script beat;
extern const script withdraw;
extern const script break_lock;
extern const script inspect;
extern const script exchange;    ///< loaded only when it is needed
extern const script acquire_set; ///< likewise
extern const script release_set; ///< likewise
extern const script downgrade;   ///< likewise
extern const script resize;      ///< likewise
extern const script join;        ///< likewise
extern const script node_marker; ///< likewise

extern const script verify; ///< likewise
extern const script cell;   ///< likewise

// Of clients with max_lease: see grace.lua.
extern const script grace_acquire;
extern const script grace_release;
extern const script grace_beat;
extern const script grace_withdraw;
extern const script grace_break_lock;
extern const script grace_inspect;
extern const script grace_acquire_set; ///< loaded only when it is needed
extern const script grace_release_set; ///< likewise
extern const script grace_downgrade;   ///< likewise
extern const script grace_resize;      ///< likewise

// Of clients of a cluster: see cluster.lua.
extern const script cluster_acquire;
extern const script cluster_release;
extern const script cluster_beat;
extern const script cluster_withdraw;
extern const script cluster_break_lock;
extern const script cluster_inspect;
extern const script cluster_exchange;    ///< loaded only when it is needed
extern const script cluster_acquire_set; ///< likewise
extern const script cluster_release_set; ///< likewise
extern const script cluster_downgrade;   ///< likewise
extern const script cluster_resize;      ///< likewise
extern const script cluster_plain_beat;
extern const script cluster_redisson_beat;

/// Loaded by the greeting of every session.
inline constexpr std::array session_scripts{&acquire,  &release,    &beat,
                                            &withdraw, &break_lock, &inspect};
/// Instead of these with max_lease.
inline constexpr std::array grace_session_scripts{&grace_acquire,    &grace_release,
                                                  &grace_beat,       &grace_withdraw,
                                                  &grace_break_lock, &grace_inspect};
/// Instead of these in a cluster.
inline constexpr std::array cluster_session_scripts{&cluster_acquire,    &cluster_release,
                                                    &cluster_beat,       &cluster_withdraw,
                                                    &cluster_break_lock, &cluster_inspect};

extern const script plain_acquire;
extern const script plain_release;
extern const script plain_beat;
extern const script plain_break;
extern const script plain_inspect;

extern const script redisson_acquire;
extern const script redisson_rw_acquire;
extern const script redisson_permit_acquire;
extern const script redisson_latch;
extern const script redisson_release;
extern const script redisson_beat;
extern const script redisson_break;
extern const script redisson_inspect;

extern const script redisson_fair_acquire;
extern const script redisson_fair_release;
extern const script redisson_fair_break;
extern const script redisson_fair_inspect;
} // namespace scripts

} // namespace holdfast::engine::redis
