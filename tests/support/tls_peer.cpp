#include "support/tls_peer.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace holdfast::test {

namespace {

using context_owner = std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)>;

context_owner make_context(const tls_peer_options& options) {
    context_owner out{SSL_CTX_new(TLS_server_method()), SSL_CTX_free};
    SSL_CTX* raw = out.get();
    bool done =
        SSL_CTX_use_certificate_chain_file(raw, options.identity.certificate.c_str()) == 1 &&
        SSL_CTX_use_PrivateKey_file(raw, options.identity.private_key.c_str(), SSL_FILETYPE_PEM) ==
            1 &&
        SSL_CTX_set_max_proto_version(raw, options.max_version) == 1;
    if (options.max_version != 0 && options.max_version < TLS1_2_VERSION) {
        done = done && SSL_CTX_set_min_proto_version(raw, options.max_version) == 1;
    }
    if (!options.client_ca_file.empty()) {
        SSL_CTX_set_verify(raw, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
        done = done && SSL_CTX_load_verify_file(raw, options.client_ca_file.c_str()) == 1;
    }
    if (!done) { throw std::runtime_error{"the server cannot load its certificate"}; }
    return out;
}

std::string last_error() {
    const char* reason = ERR_reason_error_string(ERR_peek_last_error());
    ERR_clear_error();
    return reason != nullptr ? reason : "the connection ended";
}

} // namespace

tls_peer::tls_peer(base::fd socket, const tls_peer_options& options)
    : socket_{std::move(socket)}, connection_{SSL_new(make_context(options).get()), SSL_free} {
    SSL_set_fd(connection_.get(), socket_.get());
    if (SSL_accept(connection_.get()) != 1) { error_ = last_error(); }
}

std::string tls_peer::requested_name() const {
    const char* name = SSL_get_servername(connection_.get(), TLSEXT_NAMETYPE_host_name);
    return name != nullptr ? name : "";
}

std::string tls_peer::receive(std::size_t count) {
    std::string got;
    std::string some(16384, '\0');
    while (got.size() < count) {
        std::size_t size = 0;
        const auto wanted = std::min(some.size(), count - got.size());
        if (SSL_read_ex(connection_.get(), some.data(), wanted, &size) != 1) {
            error_ = last_error();
            break;
        }
        got.append(some, 0, size);
    }
    return got;
}

bool tls_peer::send(const std::string& bytes) {
    std::size_t sent = 0;
    return SSL_write_ex(connection_.get(), bytes.data(), bytes.size(), &sent) == 1;
}

bool tls_peer::update_keys() {
    return SSL_key_update(connection_.get(), SSL_KEY_UPDATE_REQUESTED) == 1 &&
           SSL_do_handshake(connection_.get()) == 1;
}

void tls_peer::send_close_notify() { SSL_shutdown(connection_.get()); }

} // namespace holdfast::test
