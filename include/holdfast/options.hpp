#pragma once

#include <holdfast/layout.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace holdfast {

class observer;

/// Stated limits. A value beyond one of them fails with an error that names the field.
namespace limits {
inline constexpr std::size_t name_bytes = 512;
inline constexpr std::size_t note_bytes = 256;
inline constexpr std::chrono::milliseconds least_lease{100};
inline constexpr std::chrono::hours longest_lease{24};
inline constexpr std::chrono::hours longest_hold{24 * 365};
inline constexpr unsigned permits = 10'000;
inline constexpr unsigned waiters_per_name = 10'000;
inline constexpr unsigned arrivals = 1'000;        ///< of a latch, or of a barrier's phase
inline constexpr std::size_t member_bytes = 64;    ///< the id of an arrival
inline constexpr std::size_t value_bytes = 65'536; ///< of an election, or the result of a once_flag
inline constexpr std::chrono::seconds least_keep{1};
} // namespace limits

/// How a quorum (`redlock://`, `quorum:`) asks its nodes; other engines ignore it. 0 and unset: as
/// the client's URL says, which has keys of the same names.
struct quorum_options {
    /// How long a node may take to answer before the others decide. By default a twentieth of the
    /// lease, at least 20 ms.
    std::chrono::milliseconds node_timeout{0};

    /// Allowance for clocks that run at different rates: valid() turns false earlier by it. By
    /// default 1 % of the lease and 2 ms. A smaller one weakens P1 of docs/safety.md.
    std::optional<std::chrono::milliseconds> drift{};

    /// A waiter that was refused asks again after a random time from retry_min to retry_max, or
    /// sooner when the nodes report a release. By default 50 to 250 ms. Set both or neither.
    std::chrono::milliseconds retry_min{0};
    std::chrono::milliseconds retry_max{0};

    /// How often a wait asks before it gives up: then the try forms return false or empty, and
    /// lock() and acquire() fail with limit_reached. By default there is no limit.
    unsigned tries = 0;
};

/// What a lock object is made with. Name the members that differ from their defaults:
///
///     holdfast::mutex stock{fleet, "stock:1001", {.lease = 10s}};
///
/// They apply to every call on the lock. A call changes some of them for itself with
/// acquire_options. The lock's constructor checks them and throws invalid_option, whose text names
/// the member.
struct lock_options {
    /// How long the lock stays taken after its holder crashes, or can no longer be reached.
    /// 100 ms to 24 h.
    std::chrono::milliseconds lease{std::chrono::seconds{30}};

    /// Renew the lease each time that a third of it has passed, for as long as the lock is held.
    /// Without it the hold ends after `lease`, unless lease::extend() is called.
    bool renew = true;

    /// The longest hold, renewals and extend() included. After it the lease is lost. valid() turns
    /// false earlier, by the margin and by 1 % + 2 ms for clocks that differ. 0: no limit.
    std::chrono::milliseconds max_hold{0};

    /// The engine keeps the lock at least this long after the grant, even if it is released sooner
    /// or the holder dies: for a job that must not run twice in a row. 0: none.
    std::chrono::milliseconds min_hold{0};

    /// Safety margin: valid() turns false this long before the engine may grant the lock to someone
    /// else. 0: the larger of 50 ms and a twentieth of the lease, but at most a third of it. It
    /// must be below half of the lease, and of max_hold if that is shorter.
    std::chrono::milliseconds margin{0};

    /// The hold ends with its lease or its release, and not when this process dies, which some
    /// engines notice. For work that continues elsewhere: in a script that releases later by the
    /// owner's id (lease::detach(), admin::release()), or in a child process.
    bool detached = false;

    /// Who holds the lock and why, for people who inspect it. At most 256 bytes.
    std::string note{};

    /// How Redis stores the lock. Empty: as the client's URL says (`?layout=plain`), else native.
    std::optional<holdfast::layout> layout{};

    /// Whether there are fencing tokens, where the layout leaves that open (plain, redisson).
    /// Clients of other libraries issue none, so a lock that is shared with them must not use it.
    /// Empty: as the client's URL says (`?fencing=yes`), else no. Without it token() throws
    /// unsupported.
    std::optional<bool> fencing{};

    /// How a quorum asks its nodes.
    quorum_options quorum{};
};

/// What one call asks for. An unset member means what the lock was made with:
///
///     stock.acquire({.note = "nightly"});                              // the lock's lease
///     stock.try_acquire_for(500ms, {.note = "nightly", .stop = token});
///
/// layout and fencing are not here: they decide which lock it is. The call checks the combined
/// options before any I/O and fails with invalid_option, whose text names the member.
struct acquire_options {
    std::optional<std::chrono::milliseconds> lease{};    ///< see lock_options::lease
    std::optional<bool> renew{};                         ///< see lock_options::renew
    std::optional<std::chrono::milliseconds> max_hold{}; ///< see lock_options::max_hold
    std::optional<std::chrono::milliseconds> min_hold{}; ///< see lock_options::min_hold
    std::optional<std::chrono::milliseconds> margin{};   ///< see lock_options::margin
    std::optional<bool> detached{};                      ///< see lock_options::detached
    std::optional<std::string> note{};                   ///< see lock_options::note

    /// Cancels the wait. lock() and acquire() then fail with cancelled; the try forms return false
    /// or empty. If stop was requested before the call, the engine is not asked.
    std::stop_token stop{};
};

/// What one wait of a latch, a barrier or an election asks for.
struct wait_options {
    /// Cancels the wait. The forms without a time-out then fail with cancelled; the others return
    /// false or empty.
    std::stop_token stop{};
};

/// How a client behaves.
struct client_options {
    /// How long a call retries while the engine cannot be reached, before it fails with
    /// unavailable. A shorter time-out of the call ends it sooner. 0: one attempt, as a try makes
    /// it, which on Redis takes the URL's connect_timeout at most (1 s unless set).
    std::chrono::milliseconds connect_wait{std::chrono::seconds{5}};

    /// unlock() and destructors send the release and return without waiting for its reply. That is
    /// faster, but others may see the lock as held for a moment after unlock() returned. If nobody
    /// waited and the hold took less than a millisecond, the release may even be deferred for about
    /// two milliseconds, to share a packet with the next request; if the process is killed
    /// meanwhile, the lock stays taken until its lease ends. Failures go to `observer`.
    /// lease::release() always waits. Without this option unlock() and destructors wait for the
    /// reply, but for 200 ms at most.
    bool pipeline_release = false;

    /// Count what the client does, for client::metrics(). It costs about a hundredth of an
    /// uncontended cycle on `memory:`.
    bool metrics = true;

    /// Receives what no caller waits for: losses, failed renewals, failed releases.
    std::shared_ptr<holdfast::observer> observer{};
};

} // namespace holdfast
