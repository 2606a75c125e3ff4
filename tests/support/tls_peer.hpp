#pragma once
// The server side of a TLS connection. It blocks, so it needs a thread of its own.

#include "holdfast/base/fd.hpp"
#include "support/tls_certificates.hpp"

#include <cstddef>
#include <memory>
#include <string>

struct ssl_st;

namespace holdfast::test {

struct tls_peer_options {
    tls_identity identity{};
    std::string client_ca_file{}; ///< if set, clients need a certificate of this CA
    int max_version = 0;          ///< of TLS, as OpenSSL numbers them; 0: any
};

/// Thread safety: none.
class tls_peer {
public:
    /// Does the handshake; error() is set if it fails.
    tls_peer(base::fd socket, const tls_peer_options& options);

    [[nodiscard]] const std::string& error() const noexcept { return error_; }
    /// The name in the client's SNI; empty if none.
    [[nodiscard]] std::string requested_name() const;
    /// Reads until there are `count` bytes, or the connection ends.
    [[nodiscard]] std::string receive(std::size_t count);
    bool send(const std::string& bytes);
    /// Changes its keys and requests that the client does so, too (TLS 1.3).
    bool update_keys();
    /// Sends close_notify, but keeps the connection open.
    void send_close_notify();

private:
    base::fd socket_;
    std::unique_ptr<ssl_st, void (*)(ssl_st*)> connection_;
    std::string error_{};
};

} // namespace holdfast::test
