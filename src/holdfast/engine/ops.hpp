#pragma once
// The operations of an engine.

#include "holdfast/base/clock.hpp"
#include "holdfast/base/ids.hpp"

#include <holdfast/layout.hpp>
#include <holdfast/lock_info.hpp>
#include <holdfast/options.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace holdfast::engine {

/// How a request waits that cannot be granted now. listen: the engine notifies it when the lock may
/// be free, and keeps no place for it: newcomers pass it. hint: the same with a place in the queue.
/// In both cases the waiter acquires again. grant: the engine hands the lock off to it.
enum class queueing : std::uint8_t { no, listen, hint, grant };

/// How a lock is written, on engines with several layouts; empty members are as the engine's URL
/// says. See lock_options.
struct lock_format {
    std::optional<holdfast::layout> layout{};
    std::optional<bool> fencing{};
    bool operator==(const lock_format&) const = default;
};

/// Identifies a hold or a waiter. The owner's number is never reused, so a ticket also identifies
/// the request: an engine recognises a resent acquire, release or withdraw by its ticket.
struct ticket {
    std::string name;
    base::owner_id owner;
    lock_format format{};
    bool operator==(const ticket&) const = default;
};

/// How a quorum asks its nodes, where the caller says so; 0: as the URL says.
struct vote_options {
    base::milliseconds node_timeout{0}; ///< how long a node may take to answer
    base::milliseconds retry_min{0};    ///< a refused waiter asks again after a random time
    base::milliseconds retry_max{0};
};

/// Requests a hold. Idempotent: if the ticket holds already, the answer is `granted` again with the
/// same token, or with the proposed one if that is higher; if it waits already, `queued` again at
/// its old place.
struct acquire_op {
    engine::ticket ticket;
    primitive kind = primitive::mutex;
    holdfast::mode mode = mode::exclusive;
    unsigned permits = 1;
    unsigned limit = 1;
    base::milliseconds lease{0};
    base::milliseconds min_hold{0};
    bool detached = false; ///< ends with its lease, not with its client
    queueing queue = queueing::no;
    /// For a quorum, whose nodes must agree; 0: the engine chooses. Refused if it is not above the
    /// highest token so far (`busy`), or too far ahead of the engine's clock (`failed`).
    std::uint64_t proposed_token = 0;
    /// The identity that the engine gave to join_op: if it has another one by now, or none, it has
    /// lost its data and refuses (`not_joined`). 0: not checked.
    std::uint64_t node_id = 0;
    /// An engine that receives it after this instant must refuse it (`busy`), so that a delayed
    /// duplicate cannot take a lock that nobody wants. Engines with another clock translate it.
    base::instant not_after = base::never;
    vote_options voting{};
    /// A single attempt: an engine without a connection connects at once, without a pause.
    bool once = false;
    /// The ticket was never sent before: the engine has no entry of it, so a grant is one that this
    /// very request makes.
    bool first = false;
    std::string note;
};

/// Renews holds and keeps waiters in the queue, many at once. Items do not affect each other.
struct beat_op {
    struct item {
        engine::ticket ticket;
        bool waiting = false;        ///< a waiter's heartbeat; otherwise a holder's renewal
        base::milliseconds lease{0}; ///< renewal: the new lease, counted from now
        /// Renewal: its number among the holder's renewals, from 1 on. An engine that may receive
        /// messages late ignores one that arrives after a later one: it could shorten the lease.
        /// 0: not sent by the holder; can only lengthen the lease.
        std::uint64_t order = 0;
        /// Renewal: the token of the hold, for `reclaim`.
        std::uint64_t token = 0;
        /// Renewal: if the engine has lost the hold, make it again with these terms and `token`
        /// (`reclaimed`), provided that nobody else holds the name, no higher token was issued,
        /// the hold was neither released nor broken, and `not_after` has not passed. Null: it stays
        /// lost.
        std::shared_ptr<const acquire_op> reclaim{};
    };
    std::vector<item> items; ///< at most `max_beat_items`, all of one lock_format
};
inline constexpr std::size_t max_beat_items = 500;

/// Ends a hold, and grants the next waiter in the same atomic step. Idempotent.
struct release_op {
    engine::ticket ticket;
    bool awaited = true;   ///< a caller waits for the answer
    bool can_wait = false; ///< for a moment, to be sent together with the next operation
    /// The token of the hold, if it is known: an engine that has lost the hold still issues only
    /// higher ones from then on.
    std::uint64_t token = 0;
};

/// Leaves the queue; releases a grant whose notice has not arrived, so that it cannot stay.
/// Idempotent.
struct withdraw_op {
    engine::ticket ticket;
    bool asks_again = false; ///< the ticket may acquire again: the engine must not refuse it then
};

/// Requests several exclusive holds of one client at once, all or none: `granted` with a token for
/// each in `parts`, or a refusal that is true of at least one name, and no name has changed. Grants
/// only names that are free and that nobody waits for. Idempotent like the single acquires. A set
/// whose names the engine cannot grant in one step fails with errc::unsupported.
struct acquire_set_op {
    /// At least 1 and at most `max_set_items`; their names differ, and all have the same format and
    /// not_after, queueing::no, no proposed token and no node id.
    std::vector<acquire_op> items;
};

/// Ends several holds of one client at once, each as release_op does: `released` with a status for
/// each in `parts`.
struct release_set_op {
    std::vector<release_op> items; ///< at most `max_set_items`, all of one lock_format
};
inline constexpr std::size_t max_set_items = 64;

/// Turns the exclusive hold of a shared_mutex into a shared one, and grants readers that wait, in
/// one step: `renewed`, or `lost`. Idempotent. The token stays, and the lease is not renewed.
struct downgrade_op {
    engine::ticket ticket;
};

/// Changes the limit of a semaphore for all its users, and grants the waiters that fit now, in one
/// step: `reported`, with report::limit, generation and applied. It counts only if nobody else has
/// changed the limit since `generation`, so that a late duplicate never undoes a newer one.
/// Idempotent: the ticket's owner is the id of the request.
struct resize_op {
    engine::ticket ticket;
    unsigned limit = 0;           ///< 0: only reports
    std::uint64_t generation = 0; ///< of the limit that it replaces; 0: of one never changed
    /// An engine that receives it after this instant refuses it (`busy`).
    base::instant not_after = base::never;
};

struct inspect_op {
    std::string name;
    lock_format format{};
};

struct list_op {
    std::string prefix;
    std::string cursor; ///< empty to begin; then that of the last page
    unsigned count = 100;
    lock_format format{};
};

/// Ends the holds of a name, whoever the holders are.
struct break_op {
    std::string name;
    std::uint64_t only_token = 0; ///< only the hold with this token; 0: all
    lock_format format{};
};

/// Checks that the engine is reachable and configured well.
struct diagnose_op {};

/// What join_op does if the engine's data has no identity yet, because it is new or was lost.
enum class join_mode : std::uint8_t {
    look,       ///< nothing: the report has no node_id
    vote_now,   ///< give it one; it may vote at once, because the whole quorum is new
    vote_later, ///< give it one; it may vote when all leases that it may have forgotten have ended
};

/// A quorum asks to use the engine as one of its nodes. The report says which store it is, so that
/// no store counts twice, and from when on it may vote. A restart or the loss of data gives the
/// store a new identity, and it must not vote before every lease that it may have forgotten has
/// ended. An acquire with a `node_id` is refused on a connection on which no join_op was answered.
struct join_op {
    base::milliseconds max_lease{0}; ///< the longest lease of the whole fleet; 0: only identify it
    join_mode mode = join_mode::look;
    /// With vote_now: an engine that receives it later treats it as vote_later. That the quorum is
    /// new is true only for a moment.
    base::instant not_after = base::never;
    lock_format format{};
};

/// When a cell_op writes. In every case only if neither token nor order is lower than the cell's:
/// a late write of a former holder, or an older write of the same one, is refused.
enum class write_if : std::uint8_t {
    newest, ///< always
    empty,  ///< the cell has no value yet
    own,    ///< the cell was last written with this token
};

/// One more than a caller's value: a once_flag marks its result.
inline constexpr std::size_t max_cell_value = limits::value_bytes + 1;

/// Reads or changes a cell: a named small value beside the locks, which others watch. Cells and
/// locks have separate names. The answer is `reported`, with answer::cell as it is afterwards.
/// Idempotent: a repeated write has the same token and order, a repeated arrival the same member.
struct cell_op {
    enum class action_kind : std::uint8_t { read, write, erase, arrive };

    engine::ticket ticket; ///< the name of the cell, and who watches it
    action_kind action = action_kind::read;
    /// The ticket gets the notice `maybe_free` when the cell changes next, within
    /// `waiter_timeout`.
    bool watches = false;
    base::milliseconds keep{0}; ///< the cell expires this long after the change; 0: never

    /// It is a latch: layouts that share one with another library have no other cells. Then every
    /// action has `expected`, and the ticket has the plain name.
    bool latch = false;

    // write and erase. An erase without a token needs the cell's `birth`, so that a late duplicate
    // does not erase a newer cell; without that either it only reports it.
    std::uint64_t token = 0;
    std::uint64_t order = 0;
    write_if condition = write_if::newest;
    std::string value{};

    // arrive: adds `weight` of this member, once per phase. When `expected` have arrived the phase
    // ends: a cyclic cell begins the next one, another stays complete.
    std::string member{};
    unsigned weight = 1;
    unsigned expected = 0;
    bool cyclic = false;
    std::uint64_t birth = 0; ///< cyclic: of the cell and the phase that it is to arrive in; 0 for
    std::uint64_t phase = 0; ///< a cell that does not exist yet

    /// An engine that receives it after this instant refuses it (`busy`).
    base::instant not_after = base::never;
    bool once = false; ///< see acquire_op::once
};

using op = std::variant<acquire_op, beat_op, release_op, withdraw_op, inspect_op, list_op, break_op,
                        diagnose_op, join_op, cell_op, acquire_set_op, release_set_op, downgrade_op,
                        resize_op>;

} // namespace holdfast::engine
