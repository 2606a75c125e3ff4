#pragma once

#include <holdfast/error.hpp>

#include <atomic>
#include <cstdint>
#include <system_error>

namespace holdfast {

/// Stands before a resource and refuses tokens older than the newest that it has seen: what makes
/// a lock safe even if a holder was paused past its lease.
///
///     holdfast::fence guard;
///     guard.check(lease.token());     // throws stale_token if a newer holder came before
///     file.write(...);
///
/// It only remembers while it lives and only for what passes through this object. A database can do
/// the same for all its users in one statement; docs/safety.md has the recipe.
///
/// Thread safety: all members may be called from any thread. A token that passes does not stop a
/// newer one from passing before the write is done: check and write under one local lock, or let
/// the store do both at once.
class fence {
public:
    /// `highest`: the newest token known from before, e.g. read from the store.
    explicit fence(std::uint64_t highest = 0) noexcept : highest_{highest} {}

    /// True, and remembers it, if `token` is not older than any before. 0 is never admitted.
    [[nodiscard]] bool admit(std::uint64_t token) noexcept {
        auto seen = highest_.load(std::memory_order_relaxed);
        while (token > seen) {
            if (highest_.compare_exchange_weak(seen, token, std::memory_order_acq_rel)) {
                return true;
            }
        }
        return token == seen && token != 0;
    }

    /// As admit(), but throws stale_token.
    void check(std::uint64_t token) {
        if (!admit(token)) { refuse(token, highest()); }
    }
    void check(std::uint64_t token, std::error_code& failure) noexcept {
        failure = admit(token) ? std::error_code{} : make_error_code(errc::stale_token);
    }

    [[nodiscard]] std::uint64_t highest() const noexcept {
        return highest_.load(std::memory_order_acquire);
    }

private:
    [[noreturn]] HOLDFAST_API static void refuse(std::uint64_t token, std::uint64_t highest);

    std::atomic<std::uint64_t> highest_;
};

} // namespace holdfast
