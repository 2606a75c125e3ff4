#pragma once
// A Redis server that speaks TLS.

#include "support/redis_server.hpp"
#include "support/tls_certificates.hpp"

#include <string>

namespace holdfast::test {

/// With a certificate of this authority. `auth_clients`: "no", "yes" or "optional".
[[nodiscard]] inline redis_server_options tls_server(tls_authority& by,
                                                     std::string auth_clients = "no") {
    auto mine = by.issue("server");
    return {.tls = redis_server_tls{.certificate = std::move(mine.certificate),
                                    .private_key = std::move(mine.private_key),
                                    .ca_file = by.ca_file(),
                                    .auth_clients = std::move(auth_clients)}};
}

} // namespace holdfast::test
