#pragma once
// Makes the engine that a URL names.

#include "holdfast/base/clock.hpp"
#include "holdfast/base/ids.hpp"
#include "holdfast/engine/engine.hpp"
#include "holdfast/engine/url.hpp"

#include <memory>
#include <string>

namespace holdfast::engine {

/// Who the client is and where it runs. Tests replace parts of it.
struct client_identity {
    base::client_id client;
    const base::time_source* time = &base::system_time();
    std::string host;     ///< shown by admin
    std::int64_t pid = 0; ///< likewise
    std::string boot;     ///< the id of this boot of the machine
};

/// The identity of this process, with a new client id.
[[nodiscard]] client_identity this_process();

/// Checks the whole URL and throws error(invalid_url) or error(unsupported); does no I/O. The
/// engine opens its store at the first operation.
[[nodiscard]] std::unique_ptr<engine> make_engine(const url& url, const client_identity& identity);

/// The URL of a client that is given none.
inline constexpr std::string_view default_url = "embedded:";

} // namespace holdfast::engine
