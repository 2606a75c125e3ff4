#pragma once
// Which holds have begun and ended between two walks over the locks.

#include "holdfast/base/clock.hpp"

#include <holdfast/lock_info.hpp>

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::cli {

struct hold_change {
    /// Append only: users read the names.
    enum class kind {
        granted,
        ended,   ///< before its lease was over: released, broken, or forgotten by the engine
        expired, ///< its lease ran out after the last walk that saw it
    };
    kind type{};
    std::string lock{};
    /// As it was seen last; after its end `age` is the most that the hold can have lasted.
    party holder{};
    std::string command{}; ///< of its process, while it ran on this host; empty: not known
};

[[nodiscard]] const char* to_string(hold_change::kind type) noexcept;

/// Whether this owner holds the lock, as an inspection has found it.
[[nodiscard]] bool is_held_by(const std::optional<lock_info>& lock, const std::string& owner);

/// Remembers the holds of the last walk. A walk is: begin_walk(), add() for each lock, absent(),
/// remove() for those that are gone. Memory: all holds.
///
/// Thread safety: none.
class hold_changes {
public:
    void begin_walk() noexcept { ++walk_; }
    /// Returns the holds that are new, and those of this lock that have visibly ended.
    [[nodiscard]] std::vector<hold_change> add(const lock_info& lock, base::instant now);

    struct hold_key {
        std::string lock{};
        std::string owner{};
        auto operator<=>(const hold_key&) const = default;
    };
    /// The holds that the walk did not show. A list may leave out a lock, e.g. one that moves to
    /// another node of a cluster: inspect it before you call remove().
    [[nodiscard]] std::vector<hold_key> absent() const;
    [[nodiscard]] hold_change remove(const hold_key& key, base::instant now);

private:
    struct seen_hold {
        party holder{};
        std::string command{};
        base::instant seen{};
        std::uint64_t walk = 0;
    };
    [[nodiscard]] static hold_change ending(const hold_key& key, const seen_hold& last,
                                            base::instant now);

    std::map<hold_key, seen_hold> holds_{};
    std::uint64_t walk_ = 0;
};

} // namespace holdfast::cli
