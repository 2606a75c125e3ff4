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
    bool is_replica = false;  ///< the server is not a master any more
    bool is_moving = false;   ///< the slot of the key is moving to another node, or has moved
    bool may_be_done = false; ///< a script stopped in the middle: it may have done a part
    /// An immediate retry may succeed, on this connection or on the next.
    [[nodiscard]] bool retry_now() const noexcept { return scripts_are_gone || is_replica; }
};

/// `text` is an error reply. The command had no effect, unless `may_be_done`: a server refuses a
/// script as a whole.
[[nodiscard]] server_error parse_server_error(std::string_view text, const std::string& server);

} // namespace holdfast::engine::redis
