#pragma once
// What can be asked of an engine.

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

/// How a request that cannot be granted now is to wait on the engine.
/// hint: tell me when it may be free, I ask again. grant: hand it to me.
enum class queueing : std::uint8_t { no, hint, grant };

/// How a lock is written, on engines that know more than one way; what is empty is as the engine's
/// URL says. See lock_options.
struct lock_format {
    std::optional<holdfast::layout> layout{};
    std::optional<bool> fencing{};
    bool operator==(const lock_format&) const = default;
};

/// One hold or one waiter. The owner's number is never reused, so a ticket also identifies the
/// request: a resent acquire, release or withdraw is recognised by its ticket.
struct ticket {
    std::string name;
    base::owner_id owner;
    lock_format format{};
    bool operator==(const ticket&) const = default;
};

/// Asks for a hold. Idempotent: if the ticket holds already the answer is `granted` again with the
/// same token, if it waits already it is `queued` again at its old place.
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
    std::uint64_t proposed_token = 0; ///< for a quorum, whose nodes must agree; 0: the engine's own
    /// An engine that gets to it only after this instant must refuse it (`busy`), so that a delayed
    /// duplicate cannot take a lock that nobody wants. Engines with a clock of their own translate.
    base::instant not_after = base::never;
    /// One attempt: an engine that is to be connected to anew does not wait for a better moment.
    bool once = false;
    std::string note;
};

/// Renews holds and keeps waiters in the queue, many at once. Items never change one another.
struct beat_op {
    struct item {
        engine::ticket ticket;
        bool waiting = false;        ///< a waiter's heartbeat; otherwise a holder's renewal
        base::milliseconds lease{0}; ///< renewal: the new lease, counted from now
        /// Renewal: its number among those that the holder sends, from 1 on. An engine over which
        /// messages can be late ignores one that arrives after a later one: it could shorten the
        /// lease. 0: not the holder's own, can only lengthen it.
        std::uint64_t order = 0;
    };
    std::vector<item> items; ///< at most `max_beat_items`, all written in the same way
};
inline constexpr std::size_t max_beat_items = 500;

/// Gives up a hold, and hands it on in the same atomic step. Idempotent.
struct release_op {
    engine::ticket ticket;
    bool awaited = true;   ///< a caller blocks until it is answered
    bool can_wait = false; ///< for a moment, so as to be sent together with what is asked next
};

/// Leaves the queue; if the ticket was granted meanwhile, releases that too, so that a grant nobody
/// heard of cannot stay. Idempotent.
struct withdraw_op {
    engine::ticket ticket;
};

struct inspect_op {
    std::string name;
    lock_format format{};
};

struct list_op {
    std::string prefix;
    std::string cursor; ///< empty to begin; else what the last page gave
    unsigned count = 100;
    lock_format format{};
};

/// Takes the lock away from its holders, whoever they are.
struct break_op {
    std::string name;
    std::uint64_t only_token = 0; ///< only this holder; 0: all of them
    lock_format format{};
};

/// Is the engine there and in order?
struct diagnose_op {};

using op = std::variant<acquire_op, beat_op, release_op, withdraw_op, inspect_op, list_op, break_op,
                        diagnose_op>;

} // namespace holdfast::engine
