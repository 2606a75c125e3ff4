#pragma once
// What a TLS connection needs before it begins: OpenSSL's objects, and the files of tls_terms.

#include "holdfast/net/endpoint.hpp"

#include <openssl/ssl.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace holdfast::net {

/// Frees what OpenSSL has made.
template <auto Free>
struct freed_by {
    template <class Object>
    void operator()(Object* what) const noexcept {
        Free(what);
    }
};
using ssl_context = std::unique_ptr<SSL_CTX, freed_by<SSL_CTX_free>>;
using ssl_connection = std::unique_ptr<SSL, freed_by<SSL_free>>;

/// Why there can be no TLS on these terms, e.g. because of a file; for people.
class tls_problem : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// With authorities and own certificate loaded; TLS 1.2 or newer. Throws tls_problem.
[[nodiscard]] ssl_context make_context(const tls_terms& terms);

/// The name that the server's certificate must bear: `server_name`, or else the host. May be an
/// address, which has no zone (`%eth0`) then.
[[nodiscard]] std::string expected_name(const endpoint& where);

/// A client's connection that demands a certificate for `name`, if the terms say so, and asks for
/// `name` unless it is an address. Throws tls_problem.
[[nodiscard]] ssl_connection make_connection(SSL_CTX* context, const tls_terms& terms,
                                             const std::string& name);

} // namespace holdfast::net
