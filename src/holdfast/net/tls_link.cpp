#include "holdfast/net/tls_link.hpp"

#include <cerrno>
#include <cstddef>
#include <sys/socket.h>

namespace holdfast::net {

namespace {

tls_link& link_of(BIO* bio) noexcept { return *static_cast<tls_link*>(BIO_get_data(bio)); }

int send_some(BIO* bio, const char* from, int size) {
    BIO_clear_retry_flags(bio);
    tls_link& link = link_of(bio);
    ssize_t count = -1;
    while (link.send_error == 0) {
        count =
            ::send(link.socket, from, static_cast<std::size_t>(size), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count >= 0 || errno == EAGAIN) { break; }
        if (errno != EINTR) { link.send_error = errno; }
    }
    if (count < 0) { BIO_set_retry_write(bio); }
    return static_cast<int>(count);
}

int receive_some(BIO* bio, char* into, int size) {
    BIO_clear_retry_flags(bio);
    tls_link& link = link_of(bio);
    ssize_t count = -1;
    do {
        count = ::recv(link.socket, into, static_cast<std::size_t>(size), MSG_DONTWAIT);
    } while (count < 0 && errno == EINTR);
    if (count == 0 || (count < 0 && errno == EAGAIN && link.send_error != 0)) {
        link.ended = true;
        return 0;
    }
    if (count < 0 && errno == EAGAIN) {
        BIO_set_retry_read(bio);
    } else if (count < 0) {
        link.receive_error = errno;
    } else {
        link.received += static_cast<std::uint64_t>(count);
    }
    return static_cast<int>(count);
}

long control(BIO* bio, int command, long /*number*/, void* /*more*/) {
    if (command == BIO_CTRL_FLUSH) { return 1; } // nothing is buffered
    if (command == BIO_CTRL_EOF) { return link_of(bio).ended ? 1 : 0; }
    return 0;
}

// Never freed: a stream may be used after static variables are destroyed.
BIO_METHOD* make_method() noexcept {
    BIO_METHOD* out = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "holdfast");
    if (out != nullptr) {
        BIO_meth_set_write(out, send_some);
        BIO_meth_set_read(out, receive_some);
        BIO_meth_set_ctrl(out, control);
    }
    return out;
}

} // namespace

BIO* make_bio(tls_link& link) noexcept {
    static const BIO_METHOD* const method = make_method();
    BIO* out = method != nullptr ? BIO_new(method) : nullptr;
    if (out != nullptr) {
        BIO_set_data(out, &link);
        BIO_set_init(out, 1);
    }
    return out;
}

} // namespace holdfast::net
