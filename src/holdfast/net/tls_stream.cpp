#include "holdfast/net/tls_stream.hpp"

#include "holdfast/base/system_text.hpp"
#include "holdfast/net/tls_failure.hpp"

#include <openssl/err.h>

#include <utility>

namespace holdfast::net {

tls_stream::tls_stream(const endpoint& endpoint, const lookup_function& lookup)
    : name_{expected_name(endpoint)} {
    try {
        context_ = make_context(*endpoint.tls);
        connection_ = make_connection(context_.get(), *endpoint.tls, name_);
    } catch (const tls_setup_error& problem) {
        fail(problem.what(), true);
        return;
    }
    SSL_set_ex_data(connection_.get(), 0, this);
    SSL_CTX_set_client_cert_cb(context_.get(), on_certificate_requested);
    connect(endpoint, lookup);
}

tls_stream::~tls_stream() {
    // Sends close_notify if the socket is writable, and does not wait for the server's.
    if (state() == stream_state::open && write_needs_ == need::none) {
        ERR_clear_error();
        SSL_shutdown(connection_.get());
        ERR_clear_error();
    }
}

int tls_stream::on_certificate_requested(SSL* connection, X509**, EVP_PKEY**) {
    // OpenSSL calls it only if the client has no certificate. The server decides what follows.
    static_cast<tls_stream*>(SSL_get_ex_data(connection, 0))->certificate_requested_ = true;
    return 0;
}

std::string_view tls_stream::step() const noexcept {
    return socket() >= 0 && state() == stream_state::opening ? "TLS handshake"
                                                             : socket_stream::step();
}

void tls_stream::on_connected() {
    link_.socket = socket();
    BIO* bio = make_bio(link_);
    if (bio == nullptr) { return fail("TLS cannot be set up: memory"); }
    SSL_set_bio(connection_.get(), bio, bio);
    do_handshake();
}

void tls_stream::do_handshake() {
    ERR_clear_error();
    const int result = SSL_do_handshake(connection_.get());
    if (result == 1) {
        // Not earlier: bytes that arrive with the end of the handshake must stay visible to poll().
        SSL_set_read_ahead(connection_.get(), 1);
        read_needs_ = need::none;
        set_open();
        return;
    }
    read_needs_ = handle_result(result);
    if (link_.send_error != 0) { fail(base::system_text(link_.send_error)); }
}

short tls_stream::events() const noexcept {
    const bool needs_writable = read_needs_ == need::writable || write_needs_ == need::writable;
    // During the handshake, received bytes are of no use before the pending message is sent.
    if (state() == stream_state::opening) { return needs_writable ? POLLOUT : POLLIN; }
    return static_cast<short>(needs_writable ? POLLIN | POLLOUT : POLLIN);
}

void tls_stream::on_socket_ready() {
    if (state() == stream_state::opening) { return do_handshake(); }
    if (read_needs_ != need::writable) { return; }
    char byte = 0;
    ERR_clear_error();
    const int result = SSL_peek(connection_.get(), &byte, 1);
    read_needs_ = result > 0 ? need::none : handle_result(result);
}

std::size_t tls_stream::read(std::span<char> into) {
    if (state() != stream_state::open) { return 0; }
    std::size_t total = 0;
    const auto received = link_.received;
    read_needs_ = need::none;
    while (total < into.size()) {
        std::size_t count = 0;
        ERR_clear_error();
        const int result =
            SSL_read_ex(connection_.get(), into.data() + total, into.size() - total, &count);
        if (result != 1) {
            read_needs_ = handle_result(result);
            break;
        }
        total += count;
        if (SSL_has_pending(connection_.get()) == 0) { break; }
    }
    if (write_needs_ == need::readable && link_.received != received) {
        write_needs_ = need::writable;
    }
    return total;
}

std::size_t tls_stream::write(std::span<const char> from) {
    if (state() != stream_state::open || link_.send_error != 0) { return 0; }
    std::size_t total = 0;
    write_needs_ = need::none;
    while (total < from.size()) {
        std::size_t count = 0;
        ERR_clear_error();
        const int result =
            SSL_write_ex(connection_.get(), from.data() + total, from.size() - total, &count);
        if (result != 1) {
            write_needs_ = handle_result(result);
            break;
        }
        total += count;
    }
    if (link_.send_error != 0) {
        write_needs_ = need::none;
        if (!has_unread_bytes(socket())) { fail(base::system_text(link_.send_error)); }
    }
    return total;
}

tls_stream::need tls_stream::handle_result(int result) {
    const int error = SSL_get_error(connection_.get(), result);
    if (error == SSL_ERROR_WANT_READ) { return need::readable; }
    if (error == SSL_ERROR_WANT_WRITE) { return need::writable; }
    auto failure = describe_failure(connection_.get(), error,
                                    {.name = name_,
                                     .link = link_,
                                     .in_handshake = state() == stream_state::opening,
                                     .certificate_requested = certificate_requested_});
    fail(std::move(failure.text), failure.permanent);
    return need::none;
}

} // namespace holdfast::net
