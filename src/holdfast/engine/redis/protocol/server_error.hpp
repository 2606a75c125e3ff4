#pragma once
// Error replies of a server, as error codes and messages.

#include <string>
#include <string_view>
#include <system_error>

namespace holdfast::engine::redis {

struct server_error {
    std::error_code code; ///< errc::unavailable: a retry may succeed
    std::string detail;   ///< names the server and says what to do
    bool scripts_are_gone = false;
};

/// `text` is an error reply. The command had no effect: a server refuses a script as a whole.
[[nodiscard]] server_error parse_server_error(std::string_view text, const std::string& server);

} // namespace holdfast::engine::redis
