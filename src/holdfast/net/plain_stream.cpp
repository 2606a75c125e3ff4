#include "holdfast/net/plain_stream.hpp"

#include "holdfast/net/system_text.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>

namespace holdfast::net {

void plain_stream::connected() {
    // `read` and `write` say with each call that they do not block. Whoever reads from the
    // descriptor directly wants to block, but not for ever.
    const int flags = ::fcntl(socket(), F_GETFL);
    ::fcntl(socket(), F_SETFL, flags & ~O_NONBLOCK);
    constexpr timeval longest{.tv_sec = 0, .tv_usec = 4000};
    ::setsockopt(socket(), SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
    opened();
}

void plain_stream::readable_from(int bytes) {
    if (bytes == low_water_ || now_in() != state::open) { return; }
    low_water_ = bytes;
    ::setsockopt(socket(), SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes);
}

short plain_stream::events() const noexcept {
    return static_cast<short>(full_ ? POLLIN | POLLOUT : POLLIN);
}

std::size_t plain_stream::read(std::span<char> into) {
    if (now_in() != state::open || into.empty()) { return 0; }
    ssize_t count = 0;
    do {
        count = ::recv(socket(), into.data(), into.size(), MSG_DONTWAIT);
    } while (count < 0 && errno == EINTR);
    if (count > 0) { return static_cast<std::size_t>(count); }
    const int error = count == 0 ? 0 : errno;
    if (parting_ != 0) {
        fail(system_text(parting_));
    } else if (count == 0) {
        fail(closed_by_server);
    } else if (error != EAGAIN) {
        fail(system_text(error));
    }
    return 0;
}

std::size_t plain_stream::write(std::span<const char> from) {
    if (now_in() != state::open || from.empty() || parting_ != 0) { return 0; }
    ssize_t count = 0;
    do {
        count = ::send(socket(), from.data(), from.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    } while (count < 0 && errno == EINTR);
    if (count < 0 && errno != EAGAIN) {
        broken(errno);
        return 0;
    }
    const std::size_t taken = count < 0 ? 0 : static_cast<std::size_t>(count);
    full_ = taken < from.size();
    return taken;
}

// A server that turns a client away says why and closes: that is still to be read.
void plain_stream::broken(int error) {
    full_ = false;
    parting_ = error;
    if (!has_bytes_left(socket())) { fail(system_text(error)); }
}

} // namespace holdfast::net
