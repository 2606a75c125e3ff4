#pragma once
// What a server's error reply means to a caller.

#include <string>
#include <string_view>
#include <system_error>

namespace holdfast::engine::redis {

struct server_error {
    std::error_code code; ///< errc::unavailable: worth another try
    std::string detail;   ///< names the server and says what to do
    bool scripts_are_gone = false;
};

/// `text` is an error reply. Nothing happened: a server refuses a script as a whole.
[[nodiscard]] server_error explain(std::string_view text, const std::string& server);

} // namespace holdfast::engine::redis
