#pragma once
// The operations of an engine.

#include "holdfast/base/clock.hpp"
#include "holdfast/base/ids.hpp"

#include <holdfast/layout.hpp>
#include <holdfast/lock_info.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace holdfast::engine {

/// How a request waits that cannot be granted now. hint: the engine notifies the waiter when the
/// lock may be free, and the waiter acquires again. grant: the engine hands the lock off to it.
enum class queueing : std::uint8_t { no, hint, grant };

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

/// Requests a hold. Idempotent: if the ticket holds already, the answer is `granted` again with the
/// same token; if it waits already, `queued` again at its old place.
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
    std::uint64_t proposed_token =
        0; ///< for a quorum, whose nodes must agree; 0: the engine chooses
    /// An engine that receives it after this instant must refuse it (`busy`), so that a delayed
    /// duplicate cannot take a lock that nobody wants. Engines with another clock translate it.
    base::instant not_after = base::never;
    /// A single attempt: an engine without a connection connects at once, without a pause.
    bool once = false;
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
    };
    std::vector<item> items; ///< at most `max_beat_items`, all of one lock_format
};
inline constexpr std::size_t max_beat_items = 500;

/// Ends a hold, and grants the next waiter in the same atomic step. Idempotent.
struct release_op {
    engine::ticket ticket;
    bool awaited = true;   ///< a caller waits for the answer
    bool can_wait = false; ///< for a moment, to be sent together with the next operation
};

/// Leaves the queue; releases a grant whose notice has not arrived, so that it cannot stay.
/// Idempotent.
struct withdraw_op {
    engine::ticket ticket;
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

using op = std::variant<acquire_op, beat_op, release_op, withdraw_op, inspect_op, list_op, break_op,
                        diagnose_op>;

} // namespace holdfast::engine
