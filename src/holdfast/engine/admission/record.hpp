#pragma once
// All that is remembered of one name, as plain data that an engine can keep wherever it likes.

#include "holdfast/base/clock.hpp"
#include "holdfast/base/ids.hpp"
#include "holdfast/engine/answers.hpp"

#include <holdfast/lock_info.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::engine::admission {

/// Where a client runs: for people who ask who holds a lock, never trusted.
struct place {
    std::string host;
    std::int64_t pid = 0;
};

struct hold {
    base::owner_id owner;
    std::uint64_t token = 0;
    holdfast::mode mode = mode::exclusive;
    unsigned permits = 1;
    bool released = false;          ///< given up by its owner, but kept until `rest_until`
    bool detached = false;          ///< that its client is dead means nothing
    base::instant deadline{};       ///< it has expired from here on
    base::instant rest_until{};     ///< grant + min_hold: it occupies at least until here
    std::int64_t since_wall_us = 0; ///< of the grant
    place from;
    std::string note;

    /// Nobody's any more, but still in the way.
    [[nodiscard]] bool resting(base::instant now) const noexcept {
        return released || deadline <= now;
    }
    /// When it stops being in the way if nobody does anything.
    [[nodiscard]] base::instant ends() const noexcept {
        return released ? rest_until : std::max(deadline, rest_until);
    }
};

/// Recognises a resent release, and a duplicate of an acquire that comes after its release.
struct last_release {
    base::owner_id owner;
    op_status status =
        op_status::not_held; ///< released or handed_off; not_held: there was none yet
};

struct record {
    primitive kind = primitive::mutex;
    unsigned limit = 1;
    unsigned waiting = 0;         ///< entries in the queue: if 0 it need not be looked at
    std::uint64_t high_water = 0; ///< the highest token given out; 0: none yet
    std::uint64_t epoch = 0;      ///< what readers carry: the last exclusive token; 0: none yet
    /// Of a name without a record: the store's mark, which is at least the highest token of every
    /// record that was forgotten. Not stored with the record.
    std::uint64_t floor = 0;
    base::instant keep_until{}; ///< an idle record is not forgotten before
    last_release last;
    std::vector<hold> holds;

    /// Not held, resting or waited for: another kind or limit may be adopted.
    [[nodiscard]] bool idle() const noexcept { return holds.empty() && waiting == 0; }
};

/// How long an idle record outlives its last use: a resent release still gets its answer, and a
/// duplicate of an acquire is recognised. Then it is forgotten. The order of tokens (P3) does not
/// need it: whoever forgets a record raises the store's mark to its highest token, and a name
/// without a record begins above the mark.
inline constexpr std::chrono::minutes idle_memory{1};

/// Idle, and a minute past the latest of: its release, the end of a hold that expired or would have
/// ended had it not been broken, the not-after of its request, and its highest token.
[[nodiscard]] bool forgettable(const record& state, base::instant now,
                               std::int64_t wall_us) noexcept;

/// When a new record should be looked at for the first time: by then one that was held for a moment
/// is forgettable.
[[nodiscard]] inline base::instant first_look(base::instant now) noexcept {
    return base::later(now, idle_memory + std::chrono::seconds{10});
}
/// When a record that is not forgettable now should be looked at again.
[[nodiscard]] base::instant look_again(const record& state, base::instant now,
                                       std::int64_t wall_us) noexcept;

} // namespace holdfast::engine::admission
