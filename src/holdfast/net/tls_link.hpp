#pragma once
// Moves bytes between OpenSSL and a socket. OpenSSL's own socket BIO uses write(), which may raise
// SIGPIPE, and fails on a send error although received bytes are still unread.

#include <openssl/bio.h>

#include <cstdint>

namespace holdfast::net {

struct tls_link {
    int socket = -1;
    int send_error = 0;    ///< an errno; from then on OpenSSL sees a socket that is not writable
    int receive_error = 0; ///< an errno
    std::uint64_t received = 0; ///< bytes
    bool ended = false;         ///< end of file, or all was read after a send error
};

/// A BIO over the link, which must outlive it. Null if there is no memory.
[[nodiscard]] BIO* make_bio(tls_link& link) noexcept;

} // namespace holdfast::net
