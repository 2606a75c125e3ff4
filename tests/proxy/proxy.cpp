#include "proxy/proxy.hpp"

#include "holdfast/base/process.hpp"
#include "support/free_port.hpp"

#include <algorithm>
#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdexcept>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <system_error>
#include <utility>

namespace holdfast::test {

namespace {

constexpr int backlog = 128;

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in out{};
    out.sin_family = AF_INET;
    out.sin_port = htons(port);
    out.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return out;
}

base::fd make_socket() {
    base::fd out{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    if (!out) { throw std::system_error{errno, std::generic_category(), "socket"}; }
    return out;
}

/// None if the port is in use.
base::fd listen_on(std::uint16_t port) {
    auto out = make_socket();
    const int yes = 1;
    ::setsockopt(out.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    const auto loopback_address = loopback(port);
    // The sockets API takes every kind of address as sockaddr.
    const auto* const address = reinterpret_cast<const sockaddr*>(&loopback_address);
    if (::bind(out.get(), address, sizeof loopback_address) != 0) { return {}; }
    return ::listen(out.get(), backlog) == 0 ? std::move(out) : base::fd{};
}

void set_no_delay(const base::fd& socket) {
    const int yes = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

/// Does not wait: a refused connection shows at the first send or read.
base::fd connect_to(std::uint16_t port) {
    auto out = make_socket();
    set_no_delay(out);
    const auto loopback_address = loopback(port);
    const auto* const address = reinterpret_cast<const sockaddr*>(&loopback_address);
    static_cast<void>(::connect(out.get(), address, sizeof loopback_address));
    return out;
}

} // namespace

proxy::proxy(std::uint16_t server_port) : server_port_{server_port} {
    constexpr int tries = 20;
    for (int i = 0; i < tries && !listener_; ++i) {
        port_ = free_port();
        listener_ = listen_on(port_);
    }
    wake_up_ = base::fd{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (!listener_ || !wake_up_) { throw std::runtime_error{"no port for a proxy"}; }
    thread_ = base::library_thread("proxy", [this] { run(); });
}

proxy::~proxy() {
    {
        const std::lock_guard lock{mutex_};
        stop_ = true;
    }
    ::eventfd_write(wake_up_.get(), 1);
    thread_.join();
}

std::string proxy::url() const { return "redis://127.0.0.1:" + std::to_string(port_); }

void proxy::run() {
    for (;;) {
        auto tasks =
            take_tasks(); // first: bytes that were sent before a task are forwarded before it runs
        accept_new();
        step();
        for (auto& task : tasks) { task(); }
        if (!tasks.empty()) { step(); }
        {
            const std::lock_guard lock{mutex_};
            if (stop_) { return; }
        }
        wait();
    }
}

void proxy::accept_new() {
    while (listening_) {
        base::fd client{::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
        if (!client) { return; }
        set_no_delay(client);
        const bool served = accept_mode_ == accept_mode::serve;
        connections_.emplace_back(std::move(client),
                                  served ? connect_to(server_port_) : base::fd{});
    }
}

void proxy::step() {
    for (auto at = connections_.begin(); at != connections_.end();) {
        at->step(network_);
        if (!at->ended()) {
            ++at;
            continue;
        }
        auto final_counts = at->counts();
        final_counts.open = 0;
        past_ += final_counts;
        at = connections_.erase(at);
    }
    for (auto& copy : std::exchange(network_.copies, {})) {
        connections_.emplace_back(connect_to(server_port_), std::move(copy));
    }
}

void proxy::wait() const {
    std::vector<pollfd> waiting{{wake_up_.get(), POLLIN, 0}};
    if (listening_) { waiting.push_back({listener_.get(), POLLIN, 0}); }
    auto due = proxy_connection::clock::time_point::max();
    for (const auto& connection : connections_) {
        connection.add_to(waiting);
        due = std::min(due, connection.due());
    }
    int timeout = -1;
    if (due != proxy_connection::clock::time_point::max()) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(due - proxy_connection::clock::now());
        timeout = static_cast<int>(std::max<std::int64_t>(left.count(), 0));
    }
    ::poll(waiting.data(), waiting.size(), timeout);
    ::eventfd_t ignored = 0;
    ::eventfd_read(wake_up_.get(), &ignored);
}

std::vector<std::packaged_task<void()>> proxy::take_tasks() {
    const std::lock_guard lock{mutex_};
    return std::exchange(tasks_, {});
}

void proxy::run_on_thread(std::function<void()> task) {
    std::packaged_task<void()> packaged{std::move(task)};
    auto done = packaged.get_future();
    {
        const std::lock_guard lock{mutex_};
        tasks_.push_back(std::move(packaged));
    }
    ::eventfd_write(wake_up_.get(), 1);
    done.get();
}

void proxy::cut(ending ending) {
    run_on_thread([=, this] {
        for (auto& connection : connections_) { connection.end(ending); }
    });
}

void proxy::refuse_new() {
    run_on_thread([this] {
        // The socket does not listen any more, but keeps the port.
        if (std::exchange(listening_, false)) { ::shutdown(listener_.get(), SHUT_RDWR); }
    });
}

void proxy::silence_new() {
    serve_new();
    run_on_thread([this] { accept_mode_ = accept_mode::silence; });
}

void proxy::serve_new() {
    run_on_thread([this] {
        accept_mode_ = accept_mode::serve;
        if (!std::exchange(listening_, true)) { ::listen(listener_.get(), backlog); }
    });
}

void proxy::drop_answers(message_filter filter, ending ending) {
    run_on_thread([&] {
        network_.requests.add({.type = proxy_fault::kind::drop_answer, .ending = ending}, filter);
    });
}

void proxy::mangle(garbage replacement, message_filter filter) {
    run_on_thread([&] {
        network_.requests.add({.type = proxy_fault::kind::mangle, .replacement = replacement},
                              filter);
    });
}

void proxy::hold_requests(message_filter filter) {
    run_on_thread(
        [&] { network_.requests.add({.type = proxy_fault::kind::hold_request}, filter); });
}

void proxy::hold_answers(message_filter filter) {
    run_on_thread([&] { network_.requests.add({.type = proxy_fault::kind::hold_answer}, filter); });
}

void proxy::release() {
    run_on_thread([this] {
        for (auto& connection : connections_) { connection.release(); }
    });
}

void proxy::drop_pushes(message_filter filter) {
    run_on_thread([&] { network_.pushes.add({.type = proxy_fault::kind::drop_answer}, filter); });
}

void proxy::hold_pushes(message_filter filter) {
    run_on_thread([&] { network_.pushes.add({.type = proxy_fault::kind::hold_answer}, filter); });
}

void proxy::mangle_pushes(garbage replacement, message_filter filter) {
    run_on_thread([&] {
        network_.pushes.add({.type = proxy_fault::kind::mangle, .replacement = replacement},
                            filter);
    });
}

void proxy::inject(const std::string& bytes) {
    run_on_thread([&] {
        for (auto& connection : connections_) { connection.inject(bytes); }
    });
}

void proxy::delay(std::chrono::milliseconds to_server, std::chrono::milliseconds to_client) {
    run_on_thread([=, this] {
        network_.to_server = to_server;
        network_.to_client = to_client;
    });
}

void proxy::trickle() {
    run_on_thread([this] { network_.trickles = true; });
}

void proxy::deliver_late(const late_delivery_terms& terms) {
    run_on_thread([&] { network_.late.emplace(terms); });
}

void proxy::heal() {
    serve_new();
    run_on_thread([this] { network_ = {}; });
}

proxy_counts proxy::counts() {
    proxy_counts out;
    run_on_thread([&] {
        out = past_;
        for (const auto& connection : connections_) { out += connection.counts(); }
    });
    return out;
}

} // namespace holdfast::test
