#pragma once
// What a benchmark ran on.

#include "redis/server.hpp"

#include <string>

namespace holdfast::bench::redis {

/// Processor, kernel, compiler, the server's version and the load average, in one line.
[[nodiscard]] std::string describe_machine(const server& server);

} // namespace holdfast::bench::redis
