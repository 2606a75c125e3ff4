#pragma once
// Carries TLS's bytes between OpenSSL and a socket. OpenSSL's own way uses write(), which may raise
// SIGPIPE, and gives up a connection that cannot send although there is still something to read.

#include <openssl/bio.h>

#include <cstdint>

namespace holdfast::net {

struct tls_link {
    int socket = -1;
    int send_error = 0;    ///< nothing can be sent any more; OpenSSL believes that it must wait
    int receive_error = 0; ///< an errno
    std::uint64_t received = 0; ///< bytes
    bool ended = false;         ///< the server has closed, or all of its last words were read
};

/// A BIO over the link, which must outlive it; null: no memory.
[[nodiscard]] BIO* make_bio(tls_link& over) noexcept;

} // namespace holdfast::net
