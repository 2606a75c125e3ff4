#pragma once
// What an engine keeps of one name, as plain data.

#include "holdfast/base/clock.hpp"
#include "holdfast/base/ids.hpp"
#include "holdfast/engine/answers.hpp"

#include <holdfast/lock_info.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::engine::admission {

/// The process of a client, for admin output only; never trusted.
struct client_process {
    std::string host;
    std::int64_t pid = 0;
};

struct hold_record {
    base::owner_id owner;
    std::uint64_t token = 0;
    holdfast::mode mode = mode::exclusive;
    unsigned permits = 1;
    bool released = false;          ///< released by its owner, but kept until `rest_until`
    bool detached = false;          ///< does not end when its client dies
    base::instant deadline{};       ///< it expires here
    base::instant rest_until{};     ///< grant + min_hold: it blocks the name at least until here
    std::int64_t since_wall_us = 0; ///< of the grant
    client_process process;
    std::string note;

    /// Has no holder any more, but still blocks the name.
    [[nodiscard]] bool resting(base::instant now) const noexcept {
        return released || deadline <= now;
    }
    /// When it stops blocking the name if it is not renewed or released.
    [[nodiscard]] base::instant ends() const noexcept {
        return released ? rest_until : std::max(deadline, rest_until);
    }
};

/// By this an engine recognises a resent release, and a duplicate acquire that arrives after the
/// release of its hold.
struct last_release {
    base::owner_id owner;
    /// released or handed_off; not_held: nothing was released yet.
    op_status status = op_status::not_held;
};

/// A request with queueing::listen that was not granted. It has no place in the queue.
struct listener {
    base::owner_id owner;
    base::instant alive_until{};
};

/// A hold that was broken: a repeated acquire must not grant it again, and its owner must not
/// reclaim it.
struct broken_hold {
    base::owner_id owner;
    base::instant until{}; ///< kept for this long
};

/// The last exclusive hold that ended by itself: its owner may reclaim it while its token is the
/// highest.
struct expired_hold {
    base::owner_id owner;
    std::uint64_t token = 0; ///< 0: none
};

/// The limit that somebody has set for all users of a semaphore. It outlives the use of the name.
struct resized_limit {
    unsigned limit = 0;           ///< 0: nobody has
    std::uint64_t generation = 0; ///< higher for each change
    base::owner_id by;            ///< the request that set it
};

/// How many a record keeps. A further listener is not notified; of broken holds the oldest goes.
inline constexpr std::size_t max_listeners = 64;
inline constexpr std::size_t max_broken_holds = 1024;

struct record {
    primitive kind = primitive::mutex;
    unsigned limit = 1;
    unsigned waiting = 0;         ///< entries in the queue; while 0 the queue is not read
    std::uint64_t high_water = 0; ///< the highest token issued; 0: none yet
    std::uint64_t epoch = 0;      ///< the last exclusive token, which readers carry; 0: none yet
    /// Of a name without a record: the store's mark, which is at least the highest token of every
    /// deleted record. Not stored with the record.
    std::uint64_t floor = 0;
    base::instant keep_until{}; ///< an idle record is not deleted before
    last_release last;
    std::vector<hold_record> holds;
    std::vector<listener> listeners;
    std::vector<broken_hold> broken; ///< the oldest first
    expired_hold expired;
    resized_limit resized;

    /// Without holds and waiters, whoever listens: the next request may use another kind or limit.
    [[nodiscard]] bool idle() const noexcept { return holds.empty() && waiting == 0; }
};

/// How long an engine keeps an idle record after its last use, so that it can answer a resent
/// release and recognise a duplicate acquire. The order of tokens (P3) does not depend on it: an
/// engine that deletes a record raises the store's mark to its highest token, and the tokens of a
/// name without a record begin above the mark.
inline constexpr std::chrono::minutes idle_retention{1};

/// How long after its last use a semaphore keeps the limit that was set for it.
inline constexpr std::chrono::hours resized_retention{30 * 24};

/// Idle, and a minute past the latest of: its release, the deadline of a hold that expired or was
/// broken, the not-after of its request, and its highest token. With a limit that was set for it,
/// `resized_retention` later.
[[nodiscard]] bool is_deletable(const record& state, base::instant now,
                                std::int64_t wall_us) noexcept;

/// When a store first checks whether a new record is deletable: by then the record of a short hold
/// is.
[[nodiscard]] inline base::instant first_idle_check(base::instant now) noexcept {
    return base::later(now, idle_retention + std::chrono::seconds{10});
}
/// When a store checks a record again that is not deletable now.
[[nodiscard]] base::instant next_idle_check(const record& state, base::instant now,
                                            std::int64_t wall_us) noexcept;

} // namespace holdfast::engine::admission
