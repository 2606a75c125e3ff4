#include "support/http_get.hpp"

#include <arpa/inet.h>
#include <array>
#include <cstdint>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

namespace holdfast::test {

base::fd connect_to(const std::string& address) {
    const auto colon = address.rfind(':');
    sockaddr_in target{};
    target.sin_family = AF_INET;
    target.sin_port = ::htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
    if (::inet_pton(AF_INET, address.substr(0, colon).c_str(), &target.sin_addr) != 1) {
        return {};
    }
    base::fd socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    const timeval limit{10, 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    // NOLINTNEXTLINE(*-reinterpret-cast)
    const auto* const generic = reinterpret_cast<const sockaddr*>(&target);
    if (::connect(socket.get(), generic, sizeof target) != 0) { return {}; }
    return socket;
}

std::string http_exchange_with(const std::string& address, std::string_view bytes) {
    const auto socket = connect_to(address);
    if (!socket) { return {}; }
    if (::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0) { return {}; }
    std::string out;
    std::array<char, 4096> buffer{};
    for (ssize_t count = 0; (count = ::recv(socket.get(), buffer.data(), buffer.size(), 0)) > 0;) {
        out.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return out;
}

std::string http_get(const std::string& address, const std::string& path) {
    return http_exchange_with(address, "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
}

} // namespace holdfast::test
