#pragma once
// What a name is beside a lock: an election, a once flag, a latch.

#include <holdfast/client.hpp>
#include <holdfast/latch.hpp>
#include <holdfast/lock_info.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace holdfast::cli {

struct election_info {
    lock_info office{}; ///< its holder leads, its waiters are candidates
    std::uint64_t term = 0;
    std::string value{};
};

struct once_info {
    lock_info running{}; ///< its holder runs the command
    bool is_done = false;
    std::optional<int> exit_code{}; ///< empty: the result is not that of `holdfast once`
};

/// Empty members: nothing of that kind is in use.
struct coordination_info {
    std::optional<election_info> election{};
    std::optional<once_info> once{};
    std::optional<latch_state> latch{};

    [[nodiscard]] bool empty() const noexcept { return !election && !once && !latch; }
};

[[nodiscard]] inline bool is_open(const latch_state& latch) noexcept {
    return latch.arrived == latch.expected;
}

/// Empty as well if the engine has none of them. Throws holdfast::error.
[[nodiscard]] coordination_info find_coordination(const client& client, const std::string& name);

/// The locks that an election and a once flag of this name use.
[[nodiscard]] std::string election_lock(const std::string& name);
[[nodiscard]] std::string once_lock(const std::string& name);

} // namespace holdfast::cli
