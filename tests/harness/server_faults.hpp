#pragma once
// Faults of one Redis server, and of the network before it.

#include "harness/fault.hpp"
#include "proxy/proxy.hpp"
#include "support/redis_server.hpp"
#include "support/timing.hpp"

#include <random>
#include <string>
#include <vector>

namespace holdfast::test {

/// Those that one server and its network can have.
[[nodiscard]] std::vector<fault_kind> server_fault_kinds();

/// From 200 ms to a second.
[[nodiscard]] milliseconds some_time(std::minstd_rand& random);

[[nodiscard]] bool is_network_fault(fault_kind kind);
/// The server can be reached as before when this returns, but for connections that were half open.
void disturb(proxy& between, fault_kind kind, std::minstd_rand& random);

/// How far a clock is stepped forward, and back again.
inline constexpr std::chrono::seconds clock_step = 3s;

/// server_kill (and restart), server_stop, data_loss, clock_step or store_full. The clock is at
/// `clock_offset` before and after.
void harm(redis_server& server, fault_kind kind, milliseconds length,
          std::chrono::seconds clock_offset = 0s);

/// Keys that the documentation does not name, one per line.
[[nodiscard]] std::string undocumented_keys(redis_server& server);

} // namespace holdfast::test
