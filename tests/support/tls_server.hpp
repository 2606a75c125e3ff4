#pragma once
// The options of a Redis server with TLS.

#include "support/redis_server.hpp"
#include "support/tls_certificates.hpp"

#include <string>

namespace holdfast::test {

/// With a certificate of `authority`. `auth_clients`: "no", "yes" or "optional".
[[nodiscard]] inline redis_server_options tls_server(tls_authority& authority,
                                                     std::string auth_clients = "no") {
    auto identity = authority.issue("server");
    return {.tls = redis_server_tls{.certificate = std::move(identity.certificate),
                                    .private_key = std::move(identity.private_key),
                                    .ca_file = authority.ca_file(),
                                    .auth_clients = std::move(auth_clients)}};
}

} // namespace holdfast::test
