#include "holdfast/http/listen_address.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <stdexcept>
#include <sys/socket.h>
#include <system_error>

namespace holdfast::http {

namespace {

constexpr const char* loopback = "127.0.0.1";

struct address_deleter {
    void operator()(addrinfo* list) const noexcept { ::freeaddrinfo(list); }
};

bool is_port(std::string_view text) {
    const bool digits = std::all_of(text.begin(), text.end(),
                                    [](char letter) { return letter >= '0' && letter <= '9'; });
    return digits && !text.empty() && text.size() <= 5 && std::stoi(std::string{text}) <= 65'535;
}

} // namespace

listen_address listen_address::parse(std::string_view text) {
    const auto colon = text.rfind(':');
    const auto port = colon == std::string_view::npos ? text : text.substr(colon + 1);
    auto host = colon == std::string_view::npos ? std::string_view{} : text.substr(0, colon);
    if (!is_port(port)) {
        throw std::invalid_argument{"the port is not a number from 0 to 65535; write PORT, "
                                    "HOST:PORT or [IPv6]:PORT"};
    }
    if (host.starts_with('[') && host.ends_with(']')) {
        host = host.substr(1, host.size() - 2);
    } else if (host.find(':') != std::string_view::npos) {
        throw std::invalid_argument{"write an IPv6 address in brackets: [::1]:9464"};
    }
    return {host.empty() ? loopback : std::string{host}, std::string{port}};
}

base::fd listen_on(const listen_address& address) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    const int failure = ::getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found);
    if (failure != 0) {
        throw std::system_error{EADDRNOTAVAIL, std::generic_category(), ::gai_strerror(failure)};
    }
    const std::unique_ptr<addrinfo, address_deleter> first{found};
    base::fd out{::socket(first->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    if (!out) { throw std::system_error{errno, std::generic_category(), "socket"}; }
    const int yes = 1;
    ::setsockopt(out.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (::bind(out.get(), first->ai_addr, first->ai_addrlen) != 0) {
        throw std::system_error{errno, std::generic_category(), "bind"};
    }
    constexpr int backlog = 16;
    if (::listen(out.get(), backlog) != 0) {
        throw std::system_error{errno, std::generic_category(), "listen"};
    }
    return out;
}

bool is_loopback(int socket) noexcept {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address); // NOLINT(*-reinterpret-cast)
    if (::getsockname(socket, generic, &length) != 0) { return false; }
    if (address.ss_family == AF_INET) {
        sockaddr_in v4{};
        std::memcpy(&v4, &address, sizeof v4);
        return (::ntohl(v4.sin_addr.s_addr) >> 24U) == 127;
    }
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address, sizeof v6);
    return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr) != 0;
}

std::string local_address(int socket) {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address); // NOLINT(*-reinterpret-cast)
    if (::getsockname(socket, generic, &length) != 0) { return {}; }
    std::array<char, NI_MAXHOST> host{};
    std::array<char, NI_MAXSERV> port{};
    if (::getnameinfo(generic, length, host.data(), host.size(), port.data(), port.size(),
                      NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
        return {};
    }
    const std::string name{host.data()};
    return (address.ss_family == AF_INET6 ? '[' + name + ']' : name) + ':' + port.data();
}

} // namespace holdfast::http
