#pragma once
// What a server's refusal means to a caller.

#include <string>
#include <string_view>
#include <system_error>

namespace holdfast::engine::redis {

struct failure {
    std::error_code code; ///< errc::unavailable: worth another try
    std::string detail;   ///< names the server and says what to do
    bool scripts_are_gone = false;
};

/// `said` is an error reply. It certainly did not happen: a server refuses a script as a whole.
[[nodiscard]] failure explain(std::string_view said, const std::string& server);

} // namespace holdfast::engine::redis
