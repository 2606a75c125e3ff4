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

/// None: somebody else has the port.
base::fd listen_on(std::uint16_t port) {
    auto out = make_socket();
    const int yes = 1;
    ::setsockopt(out.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    const auto where = loopback(port);
    // The sockets API takes every kind of address as this one.
    const auto* const address = reinterpret_cast<const sockaddr*>(&where);
    if (::bind(out.get(), address, sizeof where) != 0) { return {}; }
    return ::listen(out.get(), backlog) == 0 ? std::move(out) : base::fd{};
}

void send_at_once(const base::fd& socket) {
    const int yes = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

/// Only begins to: a server that is not there shows when something is sent or read.
base::fd connect_to(std::uint16_t port) {
    auto out = make_socket();
    send_at_once(out);
    const auto where = loopback(port);
    const auto* const address = reinterpret_cast<const sockaddr*>(&where);
    static_cast<void>(::connect(out.get(), address, sizeof where));
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
        auto tasks = take_tasks(); // first, so that what was sent before them goes before them
        accept_new();
        step();
        for (auto& one : tasks) { one(); }
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
        send_at_once(client);
        const bool served = welcome_ == welcome::serve;
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
    auto due = connection::clock::time_point::max();
    for (const auto& one : connections_) {
        one.add_to(waiting);
        due = std::min(due, one.due());
    }
    int timeout = -1;
    if (due != connection::clock::time_point::max()) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(due - connection::clock::now());
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

void proxy::tell(std::function<void()> what) {
    std::packaged_task<void()> task{std::move(what)};
    auto done = task.get_future();
    {
        const std::lock_guard lock{mutex_};
        tasks_.push_back(std::move(task));
    }
    ::eventfd_write(wake_up_.get(), 1);
    done.get();
}

void proxy::cut(ending ending) {
    tell([=, this] {
        for (auto& one : connections_) { one.end(ending); }
    });
}

void proxy::refuse_new() {
    tell([this] {
        // It no longer listens, but keeps the port.
        if (std::exchange(listening_, false)) { ::shutdown(listener_.get(), SHUT_RDWR); }
    });
}

void proxy::silence_new() {
    serve_new();
    tell([this] { welcome_ = welcome::silence; });
}

void proxy::serve_new() {
    tell([this] {
        welcome_ = welcome::serve;
        if (!std::exchange(listening_, true)) { ::listen(listener_.get(), backlog); }
    });
}

void proxy::drop_answers(picked which, ending then) {
    tell([&] {
        network_.requests.add({.happens = op_status::what::drop_answer, .then = then}, which);
    });
}

void proxy::mangle(garbage instead, picked which) {
    tell([&] {
        network_.requests.add({.happens = op_status::what::mangle, .instead = instead}, which);
    });
}

void proxy::hold_requests(picked which) {
    tell([&] { network_.requests.add({.happens = op_status::what::hold_request}, which); });
}

void proxy::hold_answers(picked which) {
    tell([&] { network_.requests.add({.happens = op_status::what::hold_answer}, which); });
}

void proxy::release() {
    tell([this] {
        for (auto& one : connections_) { one.release(); }
    });
}

void proxy::drop_pushes(picked which) {
    tell([&] { network_.pushes.add({.happens = op_status::what::drop_answer}, which); });
}

void proxy::hold_pushes(picked which) {
    tell([&] { network_.pushes.add({.happens = op_status::what::hold_answer}, which); });
}

void proxy::mangle_pushes(garbage instead, picked which) {
    tell([&] {
        network_.pushes.add({.happens = op_status::what::mangle, .instead = instead}, which);
    });
}

void proxy::inject(const std::string& bytes) {
    tell([&] {
        for (auto& one : connections_) { one.inject(bytes); }
    });
}

void proxy::delay(std::chrono::milliseconds to_server, std::chrono::milliseconds to_client) {
    tell([=, this] {
        network_.to_server = to_server;
        network_.to_client = to_client;
    });
}

void proxy::trickle() {
    tell([this] { network_.trickles = true; });
}

void proxy::deliver_late(const late_delivery_terms& terms) {
    tell([&] { network_.late.emplace(terms); });
}

void proxy::heal() {
    serve_new();
    tell([this] { network_ = {}; });
}

proxy_counts proxy::counts() {
    proxy_counts out;
    tell([&] {
        out = past_;
        for (const auto& one : connections_) { out += one.counts(); }
    });
    return out;
}

} // namespace holdfast::test
