#include "support/redis_raw.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>

namespace holdfast::test {

namespace {

[[noreturn]] void fail(const std::string& step) {
    throw std::system_error{errno, std::generic_category(), step};
}

/// Blocks in connect(), which is quick on a loopback address.
template <class Address>
base::fd connect_to(const Address& address, int family, const std::string& name) {
    base::fd out{::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    if (!out) { fail("socket"); }
    // The sockets API takes all address types as sockaddr.
    const auto* const raw = reinterpret_cast<const sockaddr*>(&address);
    if (::connect(out.get(), raw, sizeof address) != 0) { fail("connect to " + name); }
    return out;
}

base::fd connect_to(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto out = connect_to(address, AF_INET, "127.0.0.1:" + std::to_string(port));
    const int enabled = 1;
    ::setsockopt(out.get(), IPPROTO_TCP, TCP_NODELAY, &enabled, sizeof enabled);
    return out;
}

base::fd connect_to(const std::filesystem::path& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const auto& text = path.native();
    if (text.size() >= sizeof address.sun_path) {
        throw std::runtime_error{"too long for a socket: " + text};
    }
    std::copy(text.begin(), text.end(), static_cast<char*>(address.sun_path));
    return connect_to(address, AF_UNIX, text);
}

} // namespace

redis_raw::redis_raw(std::uint16_t port) : socket_{connect_to(port)} {}
redis_raw::redis_raw(const std::filesystem::path& unix_path) : socket_{connect_to(unix_path)} {}

redis_reply redis_raw::ask(const std::vector<std::string>& command_words, milliseconds within) {
    send(command_words);
    if (auto answer = read(within)) { return *std::move(answer); }
    throw std::runtime_error{command_words.at(0) +
                             (ended_ ? ": closed without a reply" : ": no reply")};
}

void redis_raw::send(const std::vector<std::string>& command_words) {
    auto bytes = "*" + std::to_string(command_words.size()) + "\r\n";
    for (const auto& word : command_words) {
        bytes += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
    }
    send_bytes(bytes);
}

void redis_raw::send_bytes(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) { fail("send"); }
        if (sent > 0) { bytes.remove_prefix(static_cast<std::size_t>(sent)); }
    }
}

bool redis_raw::read_more(milliseconds within) {
    if (ended_) { return false; }
    pollfd ready{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, static_cast<int>(std::max(within, 0ms).count())) <= 0) { return false; }
    std::array<char, 4096> buffer{};
    const auto count = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
    ended_ = count <= 0;
    reset_ = count < 0 && errno == ECONNRESET;
    if (!ended_) { unread_.append(buffer.data(), static_cast<std::size_t>(count)); }
    return !ended_;
}

std::optional<redis_reply> redis_raw::read(milliseconds within) {
    const stopwatch watch;
    for (;;) {
        std::string_view rest{unread_};
        if (auto whole = redis_reply::take(rest)) {
            unread_.erase(0, unread_.size() - rest.size());
            return whole;
        }
        if (!read_more(within - watch.elapsed())) { return std::nullopt; }
    }
}

bool redis_raw::closes(milliseconds within) {
    const stopwatch watch;
    while (read_more(within - watch.elapsed())) {}
    return ended_;
}

} // namespace holdfast::test
