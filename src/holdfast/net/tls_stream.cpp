#include "holdfast/net/tls_stream.hpp"

#include "holdfast/net/system_text.hpp"
#include "holdfast/net/tls_failure.hpp"

#include <openssl/err.h>

#include <utility>

namespace holdfast::net {

tls_stream::tls_stream(const endpoint& where, const lookup& target) : name_{expected_name(where)} {
    try {
        context_ = make_context(*where.tls);
        connection_ = make_connection(context_.get(), *where.tls, name_);
    } catch (const tls_problem& problem) {
        fail(problem.what(), true);
        return;
    }
    SSL_set_ex_data(connection_.get(), 0, this);
    SSL_CTX_set_client_cert_cb(context_.get(), on_certificate_asked_for);
    connect(where, target);
}

tls_stream::~tls_stream() {
    // The farewell is sent if there is room for it; an answer is not waited for.
    if (now_in() == state::open && write_needs_ == need::nothing) {
        ERR_clear_error();
        SSL_shutdown(connection_.get());
        ERR_clear_error();
    }
}

int tls_stream::on_certificate_asked_for(SSL* connection, X509**, EVP_PKEY**) {
    // Called only if there is none; to go without is up to the server.
    static_cast<tls_stream*>(SSL_get_ex_data(connection, 0))->certificate_asked_for_ = true;
    return 0;
}

std::string_view tls_stream::step() const noexcept {
    return socket() >= 0 && now_in() == state::opening ? "TLS handshake" : socket_stream::step();
}

void tls_stream::connected() {
    link_.socket = socket();
    BIO* bio = make_bio(link_);
    if (bio == nullptr) { return fail("TLS cannot be set up: memory"); }
    SSL_set_bio(connection_.get(), bio, bio);
    shake_hands();
}

void tls_stream::shake_hands() {
    ERR_clear_error();
    const int result = SSL_do_handshake(connection_.get());
    if (result == 1) {
        // Not before: what comes with the end of the handshake stays where poll sees it.
        SSL_set_read_ahead(connection_.get(), 1);
        read_needs_ = need::nothing;
        opened();
        return;
    }
    read_needs_ = after(result);
    if (link_.send_error != 0) { fail(system_text(link_.send_error)); }
}

short tls_stream::events() const noexcept {
    const bool room = read_needs_ == need::room || write_needs_ == need::room;
    // Without more from the server, a handshake that waits for room goes nowhere.
    if (now_in() == state::opening) { return room ? POLLOUT : POLLIN; }
    return static_cast<short>(room ? POLLIN | POLLOUT : POLLIN);
}

void tls_stream::go_on() {
    if (now_in() == state::opening) { return shake_hands(); }
    if (read_needs_ != need::room) { return; }
    char one = 0;
    ERR_clear_error();
    const int result = SSL_peek(connection_.get(), &one, 1);
    read_needs_ = result > 0 ? need::nothing : after(result);
}

std::size_t tls_stream::read(std::span<char> into) {
    if (now_in() != state::open) { return 0; }
    std::size_t total = 0;
    const auto received = link_.received;
    read_needs_ = need::nothing;
    while (total < into.size()) {
        std::size_t count = 0;
        ERR_clear_error();
        const int result =
            SSL_read_ex(connection_.get(), into.data() + total, into.size() - total, &count);
        if (result != 1) {
            read_needs_ = after(result);
            break;
        }
        total += count;
        if (SSL_has_pending(connection_.get()) == 0) { break; }
    }
    if (write_needs_ == need::bytes && link_.received != received) { write_needs_ = need::room; }
    return total;
}

std::size_t tls_stream::write(std::span<const char> from) {
    if (now_in() != state::open || link_.send_error != 0) { return 0; }
    std::size_t total = 0;
    write_needs_ = need::nothing;
    while (total < from.size()) {
        std::size_t count = 0;
        ERR_clear_error();
        const int result =
            SSL_write_ex(connection_.get(), from.data() + total, from.size() - total, &count);
        if (result != 1) {
            write_needs_ = after(result);
            break;
        }
        total += count;
    }
    if (link_.send_error != 0) {
        write_needs_ = need::nothing;
        if (!has_bytes_left(socket())) { fail(system_text(link_.send_error)); }
    }
    return total;
}

tls_stream::need tls_stream::after(int result) {
    const int what = SSL_get_error(connection_.get(), result);
    if (what == SSL_ERROR_WANT_READ) { return need::bytes; }
    if (what == SSL_ERROR_WANT_WRITE) { return need::room; }
    auto why = explain(connection_.get(), what,
                       {.name = name_,
                        .link = link_,
                        .shaking_hands = now_in() == state::opening,
                        .certificate_asked_for = certificate_asked_for_});
    fail(std::move(why.text), why.for_good);
    return need::nothing;
}

} // namespace holdfast::net
