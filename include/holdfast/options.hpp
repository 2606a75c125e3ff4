#pragma once

#include <holdfast/layout.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace holdfast {

class observer;

/// Stated limits; whatever exceeds them is refused with an error that names the field.
namespace limits {
inline constexpr std::size_t name_bytes = 512;
inline constexpr std::size_t note_bytes = 256;
inline constexpr std::chrono::milliseconds least_lease{100};
inline constexpr std::chrono::hours longest_lease{24};
inline constexpr std::chrono::hours longest_hold{24 * 365};
inline constexpr unsigned permits = 10'000;
inline constexpr unsigned waiters_per_name = 10'000;
} // namespace limits

/// How a lock is to be held. Every member has a default; name those that you want otherwise:
/// `m.acquire({.lease = 10s, .note = "nightly report"})`. Options that are given to a call replace
/// all of those that the lock was made with: what they do not name has the default of this struct;
/// only layout and fencing stay the lock's, since in another layout it would be another lock.
struct hold_options {
    /// How long the engine keeps the lock for a holder that it no longer hears of.
    std::chrono::milliseconds lease{std::chrono::seconds{30}};

    /// Renew at each third of the lease for as long as it is held. Without it the lease ends after
    /// `lease`, unless `lease::extend` is called.
    bool renew = true;

    /// The longest that it may be held, renewals and extend() included; then the lease is lost.
    /// As with the lease, valid() turns false earlier, by the margin and 1 % + 2 ms for clocks that
    /// differ. 0: no limit.
    std::chrono::milliseconds max_hold{0};

    /// The engine keeps the lock at least this long after the grant, even if it is released sooner
    /// or the holder dies: for a job that must not run twice in a row. 0: none.
    std::chrono::milliseconds min_hold{0};

    /// How long before the engine may give the lock to another the lease stops being valid here.
    /// 0: the larger of 50 ms and a twentieth of the lease, but at most a third of it. Must be
    /// below half of the lease, and of max_hold if that is shorter.
    std::chrono::milliseconds margin{0};

    /// The hold ends with its lease or its release and not with this process, where the engine
    /// would otherwise notice that the process is dead. For work that goes on elsewhere: a script
    /// that releases later by the owner's id (lease::detach, admin::release), or a child process.
    bool detached = false;

    /// Who and why, for people who ask who holds the lock. At most 256 bytes.
    std::string note{};

    /// How the lock is written on Redis. Empty: in a call as the lock was made, else as the URL of
    /// the client says (`?layout=plain`), which is native if it says nothing.
    std::optional<holdfast::layout> layout{};

    /// Whether there are fencing tokens, where the layout leaves that open (plain, redisson). Those
    /// who do not use Holdfast have none, so with them it must be off. Empty: as the URL says
    /// (`?fencing=yes`), which is off. Where it is off token() is errc::unsupported.
    std::optional<bool> fencing{};
};

/// How a client behaves.
struct client_options {
    /// How long an engine that cannot be reached is tried before the error; a shorter time-out of a
    /// call ends it sooner. 0: one attempt, as a try makes it, which on Redis takes the URL's
    /// connect_timeout at most (1 s unless set).
    std::chrono::milliseconds connect_wait{std::chrono::seconds{5}};

    /// unlock() and destructors send the release and return without its answer: faster, but when
    /// they return others may still see the lock as held for the moment that the release takes. If
    /// it was free when it was taken and was held for less than a millisecond, the release may even
    /// wait for some two milliseconds, to go out together with the next request; a process that is
    /// killed meanwhile leaves the lock to its lease. What goes wrong is told to `watch`.
    /// lease::release() waits in any case. Without this option they wait for the answer, but not
    /// for more than 200 ms.
    bool pipeline_release = false;

    /// Is told of what nobody waits for: losses, renewal trouble, failed releases.
    std::shared_ptr<holdfast::observer> observer{};
};

} // namespace holdfast
