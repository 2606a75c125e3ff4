#include "holdfast/net/plain_stream.hpp"

#include "holdfast/base/system_text.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>

namespace holdfast::net {

void plain_stream::on_connected() {
    // `read` and `write` pass MSG_DONTWAIT. A direct recv() on the descriptor blocks, but only for
    // this time-out.
    const int flags = ::fcntl(socket(), F_GETFL);
    ::fcntl(socket(), F_SETFL, flags & ~O_NONBLOCK);
    constexpr timeval timeout{.tv_sec = 0, .tv_usec = 4000};
    ::setsockopt(socket(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    set_open();
}

void plain_stream::set_receive_low_watermark(int bytes) {
    if (bytes == low_watermark_ || state() != stream_state::open) { return; }
    low_watermark_ = bytes;
    ::setsockopt(socket(), SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes);
}

short plain_stream::events() const noexcept {
    return static_cast<short>(send_buffer_full_ ? POLLIN | POLLOUT : POLLIN);
}

std::size_t plain_stream::read(std::span<char> into) {
    if (state() != stream_state::open || into.empty()) { return 0; }
    ssize_t count = 0;
    do {
        count = ::recv(socket(), into.data(), into.size(), MSG_DONTWAIT);
    } while (count < 0 && errno == EINTR);
    if (count > 0) { return static_cast<std::size_t>(count); }
    const int error = count == 0 ? 0 : errno;
    if (send_error_ != 0) {
        fail(base::system_text(send_error_));
    } else if (count == 0) {
        fail(closed_by_server);
    } else if (error != EAGAIN) {
        fail(base::system_text(error));
    }
    return 0;
}

std::size_t plain_stream::write(std::span<const char> from) {
    if (state() != stream_state::open || from.empty() || send_error_ != 0) { return 0; }
    ssize_t count = 0;
    do {
        count = ::send(socket(), from.data(), from.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    } while (count < 0 && errno == EINTR);
    if (count < 0 && errno != EAGAIN) {
        on_send_error(errno);
        return 0;
    }
    const std::size_t taken = count < 0 ? 0 : static_cast<std::size_t>(count);
    send_buffer_full_ = taken < from.size();
    return taken;
}

// A server that rejects a client sends the reason and closes: read() returns that before it fails.
void plain_stream::on_send_error(int error) {
    send_buffer_full_ = false;
    send_error_ = error;
    if (!has_unread_bytes(socket())) { fail(base::system_text(error)); }
}

} // namespace holdfast::net
