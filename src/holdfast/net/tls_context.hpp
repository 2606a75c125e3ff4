#pragma once
// Makes the OpenSSL objects of a TLS connection from tls_options.

#include "holdfast/net/endpoint.hpp"

#include <openssl/ssl.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace holdfast::net {

template <auto Free>
struct openssl_deleter {
    template <class Object>
    void operator()(Object* object) const noexcept {
        Free(object);
    }
};
using ssl_context = std::unique_ptr<SSL_CTX, openssl_deleter<SSL_CTX_free>>;
using ssl_connection = std::unique_ptr<SSL, openssl_deleter<SSL_free>>;

/// TLS cannot be set up with these options, e.g. because of a file. what() is for people.
class tls_setup_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Loads the authorities and the client's certificate; TLS 1.2 or newer. Throws tls_setup_error.
[[nodiscard]] ssl_context make_context(const tls_options& options);

/// The name that the server's certificate must contain: `server_name`, otherwise the host. An IPv6
/// address comes without its zone (`%eth0`).
[[nodiscard]] std::string expected_name(const endpoint& endpoint);

/// A client connection. With `options.verify` it requires a certificate for `name`; it sends `name`
/// as SNI unless that is an address. Throws tls_setup_error.
[[nodiscard]] ssl_connection make_connection(SSL_CTX* context, const tls_options& options,
                                             const std::string& name);

} // namespace holdfast::net
