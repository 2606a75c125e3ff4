#pragma once
// A node's record of the lock, as far as the checks need it.

#include "sim/node/key_space.hpp"
#include "sim/world/sim_client.hpp"

#include <cstdint>
#include <optional>

namespace holdfast::sim {

struct node_hold {
    ticket_id ticket{};
    std::int64_t deadline_us = 0; ///< of the node's clock
    std::uint64_t token = 0;
};

/// Empty: nobody holds it at `now_us`.
[[nodiscard]] std::optional<node_hold> read_hold(const key_space& keys, std::int64_t now_us);

/// The highest token that the record knows; 0: there is no record.
[[nodiscard]] std::uint64_t read_highest_token(const key_space& keys);

} // namespace holdfast::sim
