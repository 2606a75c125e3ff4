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

/// Why a lease ended before it was released. Append only.
enum class loss {
    expired,       ///< it could not be renewed in time, or renewal was off
    taken,         ///< the engine no longer knows it: broken by an operator, or its data was lost
    max_hold,      ///< the longest hold that the options allow is over
    thread_exited, ///< the thread that had locked a mutex ended
};

/// What release() found.
enum class release_answer {
    released,     ///< it was held until now and is free, or with the next in the queue
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
/// Validity is decided here, by this machine's clock, before the engine may give the lock to
/// another: valid() turns false in time whatever the engine or the network does. Loss is final.
/// Only a store that checks the token is safe against a process that is paused between asking
/// valid() and writing; see docs/safety.md.
///
/// Thread safety: valid(), remaining(), token(), owner(), name(), lost() and why_lost() may be
/// called from any thread at any time, as long as the object is not moved or destroyed meanwhile.
/// After fork() a lease is inert in the child: not valid, and its destructor does nothing.
class HOLDFAST_API lease {
public:
    /// Holds nothing.
    lease() noexcept;
    lease(lease&& other) noexcept;
    lease& operator=(lease&& other) noexcept; ///< releases what it held
    lease(const lease&) = delete;
    lease& operator=(const lease&) = delete;
    /// Releases. Waits for the answer, but for 200 ms at most: after that the release goes on in
    /// the background until it is answered or the lease has ended, and comes before this client's
    /// next acquire of the name. What fails is told to the observer.
    ~lease();

    /// Whether there is a hold to ask about: true also after a loss, false after release().
    [[nodiscard]] explicit operator bool() const noexcept { return hold_ != nullptr; }

    /// Whether the lock is surely still ours at this instant. Reads the clock; never blocks.
    [[nodiscard]] bool valid() const noexcept;

    /// How long valid() would stay true without another renewal; 0 if it is false.
    [[nodiscard]] std::chrono::milliseconds remaining() const noexcept;

    /// The fencing token: higher than that of every earlier holder of this name. A reader has the
    /// token of the last writer, so that readers do not refuse one another; that of a semaphore's
    /// permits is an id and no fence, as permits do not follow one another.
    /// Throws not_held if empty, unsupported if the engine has no tokens.
    [[nodiscard]] std::uint64_t token() const;

    /// `<client uuid>:<number>`; empty if this is empty.
    [[nodiscard]] std::string owner() const;
    [[nodiscard]] std::string name() const;

    /// Stop is requested when the lease is lost, on a thread of the library's. Not on release.
    /// Throws limit_reached if the system refuses that thread.
    [[nodiscard]] std::stop_token lost() const;
    [[nodiscard]] std::optional<loss> why_lost() const noexcept;

    /// Makes the lease last `duration` from now on, and renewals as well. Throws lost if it was,
    /// and unknown_outcome if no answer came within a quarter of `duration` (at least 50 ms), for
    /// which it is tried again and again; then the old deadline stands, or, if the new one is
    /// earlier, that.
    /// In layout::plain and layout::redisson a shorter duration lowers only the deadline on this
    /// side: others can acquire when it is released, or when the longer time has passed.
    void extend(std::chrono::milliseconds duration);
    void extend(std::chrono::milliseconds duration, std::error_code& failure);

    /// Gives the lock up and leaves this empty. Not valid from the moment that it is sent. Waits
    /// for the answer: unknown_outcome if none came for `connect_wait`.
    release_answer release();
    release_answer release(std::error_code& failure);

    /// Lets go of it without releasing, and leaves this empty: it lasts until its lease ends, or
    /// until whoever knows the owner renews or releases it (admin). With hold_options::detached
    /// this holds also for the time after this process. The owner; empty if this was.
    std::string detach();

    /// Made by the library.
    lease(std::shared_ptr<core::client_core> core, std::shared_ptr<core::hold> held) noexcept;

private:
    void let_go() noexcept;

    std::shared_ptr<core::client_core> core_; // destroyed after what it has lent
    std::shared_ptr<core::hold> hold_;
};

} // namespace holdfast
