#pragma once
// What an engine says: answers to operations, and notices that nobody asked for.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/ops.hpp"

#include <holdfast/lock_info.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace holdfast::engine {

using op_id = std::uint64_t;

enum class op_status : std::uint8_t {
    granted,    ///< acquire, or a waiter's beat: it is yours, `token` is set
    queued,     ///< acquire, or a waiter's beat: waiting
    busy,       ///< acquire: not now (queueing::no, or past not_after)
    renewed,    ///< beat
    released,   ///< release, withdraw, break: done
    handed_off, ///< release: done, and another was granted in the same step
    lost,       ///< beat: no longer a holder, or no longer in the queue
    not_held,   ///< release, withdraw, break: there was nothing to do
    reported,   ///< inspect, list, diagnose: `report` is set
    unknown,    ///< the answer was lost; it may or may not have happened
    failed,     ///< it did not happen; `error` says why
};

/// What became of one item of a beat.
struct beat_answer {
    engine::ticket ticket;
    op_status status = op_status::unknown;
    std::uint64_t token = 0;    ///< with granted
    unsigned ahead = 0;         ///< with queued: how many wait before it, as far as is known
    base::duration check_in{0}; ///< with queued: see answer::check_in
    std::error_code error{};    ///< with failed, and where known with unknown
    std::string detail{};
};

struct report {
    std::vector<lock_info> locks;
    std::string cursor; ///< list: where the next page begins; empty at the end
    std::string text;   ///< diagnose: a line for people
};

struct answer {
    op_id id = 0;
    op_status status = op_status::unknown;
    /// With granted. With busy after a proposed_token that is too low: the highest so far.
    std::uint64_t token = 0;
    unsigned ahead = 0; ///< with queued: how many wait before it, as far as is known
    /// With queued: when the waiter should look again, because a hold ahead of it ends then if it
    /// is not renewed. 0: not known.
    base::duration check_in{0};
    std::error_code error; ///< with failed, and where known with unknown
    /// With failed and unknown: asking again at once may well do, because only a connection that
    /// was open has broken, or the server has forgotten something that it is being told again.
    bool retry_now = false;
    std::string detail;                           ///< a sentence for people, naming server or file
    std::vector<beat_answer> beats;               ///< beat: one per item, in order
    std::shared_ptr<const engine::report> report; ///< with reported
};

/// Something an engine says unasked, over a client's inbox. May come late, twice or never: waiters
/// and holders also beat, so that a lost notice only costs time.
struct notice {
    enum class kind : std::uint8_t {
        granted,     ///< a waiter was handed the lock, for `hand_off_lease` unless renewed
        maybe_free,  ///< queueing::hint: ask again
        broken,      ///< a hold was taken away
        inbox_reset, ///< notices may have been missed: beat now. `number` is not set
    };
    kind type{};
    std::uint64_t number = 0; ///< the owner's number; notices only reach the client concerned
    std::uint64_t token = 0;
};

/// A hand-off holds for this long, or for the lease if that is shorter, until the new holder's
/// first renewal: a waiter that died or is stopped delays the others by no more than this.
inline constexpr base::milliseconds hand_off_lease{2000};

/// A waiter that has not been heard of for this long is dropped from the queue.
inline constexpr base::milliseconds waiter_timeout{3000};

} // namespace holdfast::engine
