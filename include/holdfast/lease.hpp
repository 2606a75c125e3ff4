#pragma once

#include <holdfast/export.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>

namespace holdfast {

namespace core {
class client_core;
class hold;
} // namespace core

namespace detail {
struct access;
} // namespace detail

/// Why a lease ended before it was released. Append only.
enum class loss {
    expired,       ///< it could not be renewed in time, or renewal was off
    taken,         ///< the engine no longer has it: an operator broke it, or its data was lost
    max_hold,      ///< the longest hold that the options allow is over
    thread_exited, ///< the thread that had locked a mutex ended
};

/// The name of a loss, e.g. "expired".
[[nodiscard]] HOLDFAST_API const char* to_string(loss reason) noexcept;

/// The result of release().
enum class release_answer {
    released,     ///< it was held until now; it is free, or granted to the next waiter
    already_lost, ///< it had ended before; nothing was done
};

/// One hold of a lock: it has an owner, a fencing token and a deadline, and ends by release, by
/// expiry or by loss. Move-only; the destructor releases.
///
///     if (auto lease = stock.try_acquire_for(500ms, {.lease = 10s})) {
///         std::stop_callback stop{lease->lost(), [&] { abandon(); }};
///         orders.write(order, lease->token());   // the store refuses an older token
///     }
///
/// This process decides validity by its own clock, before the engine may grant the lock to someone
/// else: valid() turns false in time whatever the engine or the network does. Loss is final. Only a
/// store that checks the token is safe against a process that is paused between valid() and its
/// write; see docs/safety.md.
///
/// Thread safety: valid(), remaining(), token(), owner(), name(), lost() and why_lost() may be
/// called from any thread at any time, as long as no other thread moves or destroys the object.
/// After fork() a lease is inert in the child: it is not valid, and its destructor does nothing.
class HOLDFAST_API lease {
public:
    /// Holds nothing.
    lease() noexcept;
    lease(lease&& other) noexcept;
    lease& operator=(lease&& other) noexcept; ///< releases what it held
    lease(const lease&) = delete;
    lease& operator=(const lease&) = delete;

    /// Releases. Waits for the reply, but for 200 ms at most; then the release continues in the
    /// background until it is answered or the lease has ended, and this client's next request for
    /// the name follows it. Failures go to the observer.
    ~lease();

    /// Whether it has a hold: true also after a loss, false after release().
    [[nodiscard]] explicit operator bool() const noexcept { return hold_ != nullptr; }

    /// Whether no one else can hold the lock at this instant. Reads the clock; never blocks.
    [[nodiscard]] bool valid() const noexcept;

    /// How long valid() stays true without another renewal; 0 if it is false.
    [[nodiscard]] std::chrono::milliseconds remaining() const noexcept;

    /// The instant from which valid() is false without another renewal; in the past if it is false
    /// now. A suspended machine's time counts for the lease but not for steady_clock: after a
    /// resume, ask again.
    [[nodiscard]] std::chrono::steady_clock::time_point valid_until() const noexcept;

    /// The fencing token: higher than that of every earlier holder of this name. A reader has the
    /// token of the last writer. The token of a semaphore's permits is an id and no fence, as
    /// several are held at a time. Throws not_held if the lease is empty, unsupported if the engine
    /// or layout has no tokens.
    [[nodiscard]] std::uint64_t token() const;

    /// The owner's id, `<client uuid>:<number>`; empty if the lease is empty.
    [[nodiscard]] std::string owner() const;

    /// The name of the lock; empty if the lease is empty.
    [[nodiscard]] std::string name() const;

    /// Stop is requested when the lease is lost, but not when it is released. Callbacks run on a
    /// thread of the library. Throws limit_reached if the system refuses that thread.
    [[nodiscard]] std::stop_token lost() const;

    /// Why the lease was lost, from the instant that valid() is false; empty if it was not.
    [[nodiscard]] std::optional<loss> why_lost() const noexcept;

    /// Makes this lease and its renewals last `duration`, counted from now. Fails with lost if the
    /// lease was lost, and with unknown_outcome if no reply came within a quarter of `duration` (at
    /// least 50 ms) of retries; then the earlier of the old and the new deadline applies. In
    /// layout::plain and layout::redisson a shorter duration lowers only the deadline on this side:
    /// others can acquire after a release, or when the longer time has passed.
    void extend(std::chrono::milliseconds duration);
    void extend(std::chrono::milliseconds duration, std::error_code& failure);

    /// Releases the lock and leaves this lease empty. valid() is false from the moment that the
    /// request is sent. Waits for the reply: unknown_outcome if none came for `connect_wait`, and
    /// then the lock is free at the end of its lease at the latest.
    release_answer release();
    release_answer release(std::error_code& failure);

    /// Leaves this lease empty without releasing, and returns the owner's id, which is empty if the
    /// lease was. The lock stays taken until its lease ends, or until someone who knows the owner's
    /// id renews or releases it (admin). With lock_options::detached this also holds after this
    /// process has ended.
    std::string detach();

private:
    friend struct detail::access;

    lease(std::shared_ptr<core::client_core> core, std::shared_ptr<core::hold> hold) noexcept;
    void release_in_background() noexcept;

    std::shared_ptr<core::client_core> core_; // destroyed after hold_, which uses it
    std::shared_ptr<core::hold> hold_;
};

} // namespace holdfast
