#pragma once
// The server's end of a TLS connection, which blocks: for a thread of its own.

#include "holdfast/base/fd.hpp"
#include "support/tls_certificates.hpp"

#include <cstddef>
#include <memory>
#include <string>

struct ssl_st;

namespace holdfast::test {

struct tls_peer_options {
    tls_identity identity{};
    std::string demand_clients_of{}; ///< a CA file: clients must have a certificate of its
    int newest = 0;                  ///< version of TLS, as OpenSSL numbers them; 0: any
};

/// Thread safety: none.
class tls_peer {
public:
    /// Shakes hands, or not: see error().
    tls_peer(base::fd socket, const tls_peer_options& options);

    [[nodiscard]] const std::string& error() const noexcept { return error_; }
    /// Which name the client has asked for; empty: none.
    [[nodiscard]] std::string name_asked_for() const;
    /// Until it has so many bytes, or the connection ends.
    [[nodiscard]] std::string receive(std::size_t count);
    bool send(const std::string& bytes);
    /// Changes its keys and asks the client to do so, too (TLS 1.3).
    bool update_keys();
    /// Says that it closes, but leaves the connection.
    void say_goodbye();

private:
    base::fd socket_;
    std::unique_ptr<ssl_st, void (*)(ssl_st*)> connection_;
    std::string error_{};
};

} // namespace holdfast::test
