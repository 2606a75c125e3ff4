#pragma once
// Turns the failure of a TLS connection into a message.

#include "holdfast/net/tls_link.hpp"

#include <openssl/ssl.h>

#include <string>

namespace holdfast::net {

struct tls_failure {
    std::string text{};
    bool permanent = false; ///< see stream::failure_is_permanent
};

/// Facts about the connection that OpenSSL's error does not contain.
struct tls_connection_info {
    const std::string& name; ///< that the certificate must contain
    const tls_link& link;
    bool in_handshake;
    bool certificate_requested; ///< the server requested one, and the client has none
};

/// After a call that failed; `result` is that of SSL_get_error(). Clears OpenSSL's error queue.
[[nodiscard]] tls_failure describe_failure(const SSL* connection, int result,
                                           const tls_connection_info& info);

} // namespace holdfast::net
