#pragma once
// What an engine sends: answers to operations, and notices.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/ops.hpp"

#include <holdfast/error.hpp>
#include <holdfast/lock_info.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace holdfast::engine {

using op_id = std::uint64_t;

enum class op_status : std::uint8_t {
    granted,    ///< acquire, or a waiter's beat: the ticket holds the lock, `token` is set
    queued,     ///< acquire, or a waiter's beat: the ticket is in the queue
    busy,       ///< acquire: not now (queueing::no, or past not_after), or see ticket_ended
    not_joined, ///< acquire with a node_id: it is another node by now, without the old data
    renewed,    ///< beat
    reclaimed,  ///< beat: the hold was lost, and is there again
    released,   ///< release, withdraw, break: done
    handed_off, ///< release: done, and a waiter was granted in the same step
    lost,       ///< beat: no longer a holder, or no longer in the queue
    not_held,   ///< release, withdraw, break: there was nothing to do
    reported,   ///< inspect, list, diagnose, join, resize: `report` is set; cell_op: `cell` is
    unknown,    ///< the reply was lost; the operation may or may not have happened
    failed,     ///< the operation did not happen; `error` says why
};

/// The answer to one item of a beat.
struct beat_answer {
    engine::ticket ticket;
    op_status status = op_status::unknown;
    std::uint64_t token = 0;    ///< with granted
    unsigned ahead = 0;         ///< with queued: how many waiters are ahead, as far as is known
    base::duration check_in{0}; ///< with queued: see answer::check_in
    std::error_code error{};    ///< with failed, and where known with unknown
    std::string detail{};
};

/// The answer to one item of a set.
struct part_answer {
    op_status status = op_status::unknown;
    std::uint64_t token = 0; ///< with granted
};

struct report {
    std::vector<lock_info> locks;
    std::string cursor;           ///< list: where the next page begins; empty at the end
    std::string text;             ///< diagnose: a line of text
    std::uint64_t node_id = 0;    ///< join: identifies the store and its present data; 0: none yet
    base::duration votes_in{0};   ///< join: it must not vote before; 0: it may vote now
    bool looks_new = false;       ///< join, without a node_id: it seems that it was never used
    unsigned limit = 0;           ///< resize: the last one that was set; 0: none was
    std::uint64_t generation = 0; ///< resize: of that limit
    bool applied = false;         ///< resize: it counts, by this request or by an earlier one
};

/// A cell, as a cell_op left it.
struct cell_state {
    std::uint64_t birth = 0; ///< identifies it: when it was created; 0: there is none
    std::uint64_t token = 0; ///< of the last write
    std::uint64_t phase = 0; ///< how often all have arrived
    unsigned arrived = 0;    ///< in this phase
    unsigned expected = 0;
    std::string value;
    bool applied = false; ///< the write or arrival counts, by this request or by an earlier one
    std::uint64_t counted_in = 0; ///< with an applied arrival: its phase
};

struct answer {
    op_id id = 0;
    op_status status = op_status::unknown;
    /// With granted. With busy after a proposed_token that is too low: the highest token so far.
    std::uint64_t token = 0;
    unsigned ahead = 0; ///< with queued: how many waiters are ahead, as far as is known
    /// With queued: when the waiter should beat, because a hold ahead of it ends then if it is not
    /// renewed. 0: not known.
    base::duration check_in{0};
    /// With queued: the engine keeps no entry of the waiter, so it needs no heartbeats. It only
    /// asks again after `check_in`.
    bool no_place = false;
    /// With busy: the ticket was released, withdrawn or broken, or its hold has expired and rests
    /// (min_hold): it gets nothing any more. A waiter to whose grant that happened before it heard
    /// of it asks as another owner.
    bool ticket_ended = false;
    std::error_code error; ///< with failed, and where known with unknown
    /// With failed and unknown: an immediate retry may succeed, because an open connection broke,
    /// or the server lost a script that is being loaded again.
    bool retry_now = false;
    std::string detail;             ///< a sentence for the user, naming server or file
    std::vector<beat_answer> beats; ///< beat: one per item, in order
    std::vector<part_answer> parts; ///< a set, with granted and released: one per item, in order
    std::shared_ptr<const engine::report> report; ///< with reported
    std::shared_ptr<const cell_state> cell{};     ///< with reported: cell_op
};

/// A message that an engine sends unasked, over the client's inbox. It may arrive late, twice or
/// never: waiters and holders also beat, so a lost notice only costs time.
struct notice {
    enum class kind : std::uint8_t {
        granted,     ///< a waiter was granted the lock, for `hand_off_lease` unless renewed
        maybe_free,  ///< queueing::hint and listen: acquire again; a watched cell: read it
        broken,      ///< a hold was broken
        inbox_reset, ///< notices may have been missed: beat now. `number` is not set
        doubtful,    ///< a hold may have ended: renew it now
    };
    kind type{};
    std::uint64_t number = 0; ///< the owner's number; a notice only reaches its client
    std::uint64_t token = 0;
};

/// How long a hand-off holds until the new holder's first renewal, or its lease if that is shorter.
/// A waiter that died or is stopped delays the others by no more than this.
inline constexpr base::milliseconds hand_off_lease{2000};

/// An engine drops a waiter from the queue when it has not sent a beat for this long.
inline constexpr base::milliseconds waiter_timeout{3000};

/// Whether a failed operation may succeed later: the engine, or enough of it, cannot be reached
/// now.
[[nodiscard]] inline bool worth_retrying(const std::error_code& failure) noexcept {
    return failure == errc::unavailable || failure == errc::no_quorum;
}

} // namespace holdfast::engine
