#pragma once
// Why a TLS connection failed, in words.

#include "holdfast/net/tls_link.hpp"

#include <openssl/ssl.h>

#include <string>

namespace holdfast::net {

struct tls_failure {
    std::string text{};
    bool for_good = false;
};

/// What is known about the connection beside what OpenSSL says.
struct tls_circumstances {
    const std::string& name; ///< that the certificate had to bear
    const tls_link& link;
    bool shaking_hands;         ///< the handshake is not over
    bool certificate_asked_for; ///< by the server, and there is none
};

/// After a call that failed; `result` is what SSL_get_error() made of it. Empties OpenSSL's error
/// queue.
[[nodiscard]] tls_failure explain(const SSL* connection, int result,
                                  const tls_circumstances& circumstances);

} // namespace holdfast::net
