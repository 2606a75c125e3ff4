#include "cli/link.hpp"

#include <array>
#include <cerrno>
#include <new>
#include <sys/mman.h>
#include <sys/socket.h>
#include <system_error>

namespace holdfast::cli {

std::pair<link_end, link_end> link_end::make() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) {
        throw std::system_error{errno, std::generic_category(), "cannot make a socket pair"};
    }
    return {link_end{base::fd{ends[0]}}, link_end{base::fd{ends[1]}}};
}

void link_end::send(message message) const noexcept {
    // Full or broken: the other side is stopped or dead, and acts on the last message that it got.
    [[maybe_unused]] const auto sent = ::send(end_.get(), &message, sizeof message, MSG_NOSIGNAL);
}

std::optional<message> link_end::receive(bool& closed) const noexcept {
    message received;
    const auto length = ::recv(end_.get(), &received, sizeof received, 0);
    if (length == static_cast<ssize_t>(sizeof received)) { return received; }
    closed = length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR);
    return std::nullopt;
}

shared_deadline::shared_deadline() {
    void* const place =
        ::mmap(nullptr, sizeof(value), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) {
        throw std::system_error{errno, std::generic_category(), "cannot share memory"};
    }
    at_ = new (place) value{base::never.time_since_epoch().count()};
}

shared_deadline::~shared_deadline() { ::munmap(at_, sizeof(value)); }

} // namespace holdfast::cli
