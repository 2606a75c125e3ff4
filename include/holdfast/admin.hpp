#pragma once

#include <holdfast/client.hpp>
#include <holdfast/export.hpp>
#include <holdfast/layout.hpp>
#include <holdfast/lock_info.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace holdfast {

/// Which locks to list.
struct list_options {
    std::string prefix{}; ///< only names that begin with it
    std::string cursor{}; ///< empty for the first page; then `lock_page::cursor` of the last one
    unsigned count = 100; ///< names per page, 1 to 1,000
};

/// One page of locks, in the engine's order.
struct lock_page {
    std::vector<lock_info> locks{};
    std::string cursor{}; ///< where the next page begins; empty after the last
};

/// Whose hold to break.
struct break_options {
    std::uint64_t only_token = 0; ///< only the hold with this token; 0: every hold
};

/// For operators: who holds what, who waits, and breaking a lock.
///
///     for (const auto& lock : holdfast::admin{fleet}.list().locks) { print(lock); }
///
/// Locks may have changed by the time that the caller reads the result. Errors: thrown as
/// holdfast::error, or set in the std::error_code, which is cleared on success. Thread safety: all
/// members may be called from any thread.
class HOLDFAST_API admin {
public:
    /// For locks of this layout; empty: of the layout that the client's URL names.
    explicit admin(const client& client, std::optional<layout> layout = {});

    /// Locks that are held, waited for, or resting (lock_options::min_hold).
    [[nodiscard]] lock_page list(const list_options& options = {}) const;
    [[nodiscard]] lock_page list(std::error_code& failure) const;
    [[nodiscard]] lock_page list(const list_options& options, std::error_code& failure) const;

    /// One lock; empty if nobody holds it or waits for it.
    [[nodiscard]] std::optional<lock_info> inspect(std::string_view name) const;
    [[nodiscard]] std::optional<lock_info> inspect(std::string_view name,
                                                   std::error_code& failure) const;

    /// Ends the holds of a lock; the next waiter gets it. The former holders are notified, but may
    /// continue until the notice reaches them: only tokens protect the resource then. False if
    /// nobody held it.
    bool break_lock(std::string_view name, const break_options& options = {}) const;
    bool break_lock(std::string_view name, std::error_code& failure) const;
    bool break_lock(std::string_view name, const break_options& options,
                    std::error_code& failure) const;

    /// Renews a hold that outlives the process which acquired it (lock_options::detached,
    /// lease::detach()): anyone who knows the owner's id may. The hold lasts for `lease` from now,
    /// or longer if it does so already. False if that owner does not hold the lock.
    [[nodiscard]] bool renew(std::string_view name, std::string_view owner,
                             std::chrono::milliseconds lease) const;
    [[nodiscard]] bool renew(std::string_view name, std::string_view owner,
                             std::chrono::milliseconds lease, std::error_code& failure) const;

    /// Releases such a hold. False if that owner does not hold the lock.
    bool release(std::string_view name, std::string_view owner) const;
    bool release(std::string_view name, std::string_view owner, std::error_code& failure) const;

private:
    std::shared_ptr<core::client_core> core_;
    std::optional<layout> layout_;
};

} // namespace holdfast
