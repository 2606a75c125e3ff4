#pragma once
// Starts the drivers of both sides, over one server or several.

#include "clients.hpp"
#include "driver_process.hpp"

#include <memory>
#include <string>

namespace holdfast::interop {

using namespace std::chrono_literals;

/// The lease of the option `watchdog`, on both sides.
inline constexpr milliseconds watchdog_lease = 1500ms;

/// The folder where ./dev interop has put the foreign programs.
[[nodiscard]] std::string drivers();

/// `ports` of 127.0.0.1, separated by commas. Returns when the driver has answered.
[[nodiscard]] std::unique_ptr<driver_process> start_theirs(const std::string& ports,
                                                           const client_under_test& client);
[[nodiscard]] std::unique_ptr<driver_process> start_ours(const std::string& ports,
                                                         const client_under_test& client);

} // namespace holdfast::interop
