#include "support/free_port.hpp"

#include "holdfast/base/fd.hpp"
#include "holdfast/base/random.hpp"

#include <netinet/in.h>
#include <stdexcept>
#include <sys/socket.h>

namespace holdfast::test {

namespace {

bool is_free(std::uint16_t port) {
    const base::fd probe{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    const int yes = 1; // as servers do: connections that have ended do not matter
    ::setsockopt(probe.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_port = htons(port);
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    // The sockets API takes every kind of address as this one.
    const auto* const address = reinterpret_cast<const sockaddr*>(&where);
    return ::bind(probe.get(), address, sizeof where) == 0 && ::listen(probe.get(), 1) == 0;
}

} // namespace

std::uint16_t free_port() {
    constexpr std::uint16_t first = 10'000;
    constexpr std::uint16_t count = 22'767;
    constexpr int tries = 1'000;
    // Tests run as many processes at once, so each begins somewhere else.
    base::jitter chance{base::random_seed()};
    for (int i = 0; i < tries; ++i) {
        const auto port = static_cast<std::uint16_t>(first + chance.below(count));
        if (is_free(port)) { return port; }
    }
    throw std::runtime_error{"no free port"};
}

} // namespace holdfast::test
