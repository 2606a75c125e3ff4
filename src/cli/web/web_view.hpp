#pragma once
// What one open page shows: the first locks in its order that pass its filter.

#include "cli/lock_rows.hpp"

#include <holdfast/lock_info.hpp>

#include <compare>
#include <cstddef>
#include <string>
#include <vector>

namespace holdfast::cli {

struct web_view {
    lock_order order = lock_order::waiters;
    std::string filter{}; ///< part of a name, a note or a host; in lower case; empty: all

    auto operator<=>(const web_view&) const = default;
};

/// Parses them as the page sends them; throws std::invalid_argument with a text for the user.
[[nodiscard]] web_view parse_web_view(const std::string& sort, const std::string& filter);

/// Collects the rows of a view during a walk. Memory: `most_rows` locks, a few times.
class web_rows {
public:
    static constexpr std::size_t most_rows = 200;
    static constexpr std::size_t most_parties = 50; ///< of one lock, each of holders and waiters

    explicit web_rows(web_view view) : view_{std::move(view)} {}

    void offer(const lock_info& lock);
    /// `"sort": ..., "matching": N, "locks": [...]`, members of an object.
    [[nodiscard]] std::string take_members();

private:
    void keep_first();

    web_view view_;
    std::vector<lock_info> locks_{};
    std::size_t matching_ = 0;
};

/// Identifies a hold to the page. Not its owner's id: whoever knows that can release the lock.
[[nodiscard]] std::string hold_id(const party& holder);

/// The party with an owner that is only good for reading.
[[nodiscard]] party without_owner(const party& full);

} // namespace holdfast::cli
