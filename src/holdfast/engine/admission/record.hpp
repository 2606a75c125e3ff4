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
    mode how = mode::exclusive;
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
    fate what = fate::not_held; ///< released or handed_off; not_held: there was none yet
};

struct record {
    primitive kind = primitive::mutex;
    unsigned limit = 1;
    unsigned waiting = 0;          ///< entries in the queue: if 0 it need not be looked at
    std::uint64_t high_water = 0;  ///< the highest token given out; 0: none yet
    std::uint64_t epoch = 0;       ///< what readers carry: the last exclusive token; 0: none yet
    std::int64_t used_wall_us = 0; ///< of the last grant or release
    last_release last;
    std::vector<hold> holds;

    /// Not held, resting or waited for: another kind or limit may be adopted.
    [[nodiscard]] bool idle() const noexcept { return holds.empty() && waiting == 0; }
};

/// Idle for `token_memory`, and the clock is past the highest token, so that the next token is
/// higher (P3) even if the record is deleted. The wall clock will do: if it is stepped forward the
/// record goes too early, but then the second condition still holds.
[[nodiscard]] bool forgettable(const record& what, std::int64_t wall_us) noexcept;

} // namespace holdfast::engine::admission
