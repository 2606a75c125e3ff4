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
    std::string cursor{}; ///< empty to begin; else `lock_page::cursor` of the page before
    unsigned count = 100; ///< names per page, 1 to 1,000
};

/// Some of the locks, in an order of the engine's.
struct lock_page {
    std::vector<lock_info> locks;
    std::string cursor; ///< where the next page begins; empty after the last
};

/// Whether to take a lock away from anybody, or from one holder only.
struct break_options {
    std::uint64_t only_token = 0; ///< only the holder with this token; 0: whoever holds it
};

/// For operators: who holds what, who waits, and taking a lock away.
///
///     for (const auto& lock : holdfast::admin{fleet}.list().locks) { print(lock); }
///
/// What it tells may have changed by the time that it is read. Errors and thread safety: as for
/// client.
class HOLDFAST_API admin {
public:
    /// For locks of this layout; empty: of that which the client's URL names.
    explicit admin(const client& client, std::optional<layout> in = {});

    /// Locks that are held, waited for, or resting.
    [[nodiscard]] lock_page list(const list_options& which = {}) const;
    [[nodiscard]] lock_page list(const list_options& which, std::error_code& failure) const;

    /// One lock; empty if nobody holds it or waits for it.
    [[nodiscard]] std::optional<lock_info> inspect(std::string_view name) const;
    [[nodiscard]] std::optional<lock_info> inspect(std::string_view name,
                                                   std::error_code& failure) const;

    /// Takes the lock away from its holders; the next in the queue gets it. The former holders are
    /// told, but may go on until they hear of it: only tokens protect then. False: nobody held it.
    bool break_lock(std::string_view name, const break_options& which = {}) const;
    bool break_lock(std::string_view name, const break_options& which,
                    std::error_code& failure) const;

    /// For holds that outlive the process that took them (hold_options::detached, lease::detach):
    /// whoever knows the owner's id may renew and release. A renewal lets the lock last for `lease`
    /// from now on, or longer if it does so already. False: it is not held by that owner.
    bool renew(std::string_view name, std::string_view owner,
               std::chrono::milliseconds lease) const;
    bool release(std::string_view name, std::string_view owner) const;

private:
    std::shared_ptr<core::client_core> core_;
    std::optional<layout> in_;
};

} // namespace holdfast
