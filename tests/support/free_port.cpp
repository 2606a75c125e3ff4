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
    const int enabled = 1; // as servers do: ignores ended connections
    ::setsockopt(probe.get(), SOL_SOCKET, SO_REUSEADDR, &enabled, sizeof enabled);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    // The sockets API takes all address types as sockaddr.
    const auto* const raw = reinterpret_cast<const sockaddr*>(&address);
    return ::bind(probe.get(), raw, sizeof address) == 0 && ::listen(probe.get(), 1) == 0;
}

} // namespace

std::uint16_t free_port() {
    constexpr std::uint16_t first = 10'000;
    constexpr std::uint16_t count = 22'767;
    constexpr int tries = 1'000;
    // Many test processes run at once, so each tries random ports.
    base::jitter random{base::random_seed()};
    for (int i = 0; i < tries; ++i) {
        const auto port = static_cast<std::uint16_t>(first + random.below(count));
        if (is_free(port)) { return port; }
    }
    throw std::runtime_error{"no free port"};
}

} // namespace holdfast::test
