#include "cli/message_socket.hpp"

#include "cli/errno_error.hpp"

#include <array>
#include <cerrno>
#include <sys/socket.h>

namespace holdfast::cli {

std::pair<message_socket, message_socket> message_socket::make_pair() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) {
        throw errno_error("cannot create a socket pair", errno, raise_file_limit);
    }
    return {message_socket{base::fd{ends[0]}}, message_socket{base::fd{ends[1]}}};
}

void message_socket::send(message message) const noexcept {
    // Full or closed: the other process is stopped or dead, and acts on the last message it got.
    [[maybe_unused]] const auto sent =
        ::send(socket_.get(), &message, sizeof message, MSG_NOSIGNAL);
}

std::optional<message> message_socket::receive(bool& closed) const noexcept {
    message received;
    const auto length = ::recv(socket_.get(), &received, sizeof received, 0);
    if (length == static_cast<ssize_t>(sizeof received)) { return received; }
    closed = length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR);
    return std::nullopt;
}

} // namespace holdfast::cli
