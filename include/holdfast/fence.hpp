#pragma once

#include <holdfast/error.hpp>

#include <atomic>
#include <cstdint>
#include <system_error>

namespace holdfast {

/// Guards a resource: it refuses tokens older than the newest that it has seen. That keeps the
/// resource safe even from a holder that was paused past its lease.
///
///     holdfast::fence guard;
///     guard.check(lease.token());     // throws stale_token if a newer holder was here
///     file.write(...);
///
/// It remembers only while it lives, and only the tokens that this object checks. A database can do
/// the same for all its users in one statement; docs/safety.md has the recipe.
///
/// Thread safety: all members may be called from any thread. After an older token has passed, a
/// newer one may pass before the write is done: check and write under one local lock, or let the
/// store do both in one step.
class fence {
public:
    /// `highest`: the newest token known from before, e.g. read from the store.
    explicit fence(std::uint64_t highest = 0) noexcept : highest_{highest} {}

    /// True if no newer token has been seen; remembers `token` then. False for 0.
    [[nodiscard]] bool admit(std::uint64_t token) noexcept {
        auto seen = highest_.load(std::memory_order_relaxed);
        while (token > seen) {
            if (highest_.compare_exchange_weak(seen, token, std::memory_order_acq_rel)) {
                return true;
            }
        }
        return token == seen && token != 0;
    }

    /// Fails with stale_token if admit() returns false.
    void check(std::uint64_t token) {
        if (!admit(token)) { refuse(token, highest()); }
    }
    void check(std::uint64_t token, std::error_code& failure) noexcept {
        failure = admit(token) ? std::error_code{} : make_error_code(errc::stale_token);
    }

    /// The newest token that it has seen.
    [[nodiscard]] std::uint64_t highest() const noexcept {
        return highest_.load(std::memory_order_acquire);
    }

private:
    [[noreturn]] HOLDFAST_API static void refuse(std::uint64_t token, std::uint64_t highest);

    std::atomic<std::uint64_t> highest_;
};

} // namespace holdfast
