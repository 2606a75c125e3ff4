#pragma once
// The keys that a server has.

#include "support/redis_server.hpp"
#include "support/timing.hpp"

#include <string>
#include <vector>

namespace holdfast::interop {

[[nodiscard]] std::vector<std::string> keys_of(test::redis_server& server,
                                               const std::string& pattern = "*");

/// Keys that no page documents, one per line, with the value, which tells whose it is.
[[nodiscard]] std::string undocumented_keys(test::redis_server& server);

/// -1 without end, -2 absent.
[[nodiscard]] test::milliseconds time_to_live(test::redis_server& server, const std::string& key);

} // namespace holdfast::interop
