#include "holdfast/net/connector.hpp"

#include "holdfast/base/system_text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <utility>

namespace holdfast::net {

namespace {

base::fd require(int descriptor, const char* kind) {
    if (descriptor < 0) { throw std::runtime_error{base::descriptor_failure(kind, errno)}; }
    return base::fd{descriptor};
}

// The error concerns this host, which e.g. has no IPv6, and not the server.
bool is_local_error(int error) noexcept {
    return error == EADDRNOTAVAIL || error == EAFNOSUPPORT || error == ENETUNREACH;
}

std::string connect_text(int error) {
    // connect() to a unix socket whose accept queue is full fails and cannot be polled for.
    if (error == EAGAIN) { return "too many connections wait for the server to accept them"; }
    const auto text = base::system_text(error);
    return error == ECONNREFUSED ? text + ": does the server run there?" : text;
}

} // namespace

connector::connector(const endpoint& endpoint, const lookup_function& lookup)
    : epoll_{require(::epoll_create1(EPOLL_CLOEXEC), "an epoll instance")} {
    start(endpoint, lookup);
}

void connector::start(const endpoint& endpoint, const lookup_function& lookup) {
    if (!endpoint.unix_path.empty()) {
        std::string failure;
        const auto path = unix_address(endpoint.unix_path, failure);
        if (!path) { return fail(std::move(failure), true); }
        return on_resolved({{*path}, {}});
    }
    if (endpoint.host.empty()) { return fail("there is no host to connect to", true); }
    if (const auto numeric = numeric_address(endpoint.host, endpoint.port)) {
        return on_resolved({{*numeric}, {}});
    }
    state_ = connector_state::resolving;
    resolver_.emplace(endpoint.host, endpoint.port, lookup);
    watch(resolver_->descriptor(), EPOLLIN);
}

pollfd connector::pollable() const noexcept {
    return {.fd = is_running() ? epoll_.get() : -1, .events = POLLIN, .revents = 0};
}

base::fd connector::take() noexcept { return std::move(connected_); }

void connector::progress() {
    std::array<epoll_event, 8> events{};
    const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), 0);
    for (int i = 0; i < count; ++i) {
        if (!is_running()) { return; }
        on_ready(events[static_cast<std::size_t>(i)].data.fd);
    }
}

void connector::on_ready(int descriptor) {
    if (resolver_ && descriptor == resolver_->descriptor()) {
        if (auto result = resolver_->take()) { on_resolved(std::move(*result)); }
        return;
    }
    if (descriptor == timer_.get()) {
        try_next();
        return;
    }
    const auto found = std::ranges::find(pending_, descriptor, &base::fd::get);
    if (found == pending_.end()) { return; }
    const int error = connect_error(descriptor);
    unwatch(descriptor);
    base::fd socket = std::move(*found);
    pending_.erase(found);
    if (error == 0) {
        finish(std::move(socket));
    } else {
        record_error(error);
        try_next();
    }
}

void connector::on_resolved(resolution&& resolution) {
    if (resolver_) {
        unwatch(resolver_->descriptor());
        resolver_.reset();
    }
    if (resolution.addresses.empty()) { return fail(std::move(resolution.failure), false); }
    state_ = connector_state::connecting;
    addresses_ = std::move(resolution.addresses);
    if (addresses_.size() > 1) {
        timer_ = require(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), "a timer");
        watch(timer_.get(), EPOLLIN);
    }
    try_next();
}

void connector::try_next() {
    while (next_ < addresses_.size()) {
        auto attempt = begin_connection(addresses_[next_++]);
        if (attempt.error == 0) { return finish(std::move(attempt.socket)); }
        if (attempt.error != EINPROGRESS) {
            record_error(attempt.error);
            continue;
        }
        watch(attempt.socket.get(), EPOLLOUT);
        pending_.push_back(std::move(attempt.socket));
        break;
    }
    if (pending_.empty()) { return fail(connect_text(best_error_), false); }
    if (!timer_) { return; }
    // Setting the timer also clears an expiry; zero disarms it.
    itimerspec timeout{};
    if (next_ < addresses_.size()) {
        timeout.it_value.tv_nsec = std::chrono::nanoseconds{attempt_delay}.count();
    }
    ::timerfd_settime(timer_.get(), 0, &timeout, nullptr);
}

void connector::record_error(int error) {
    if (best_error_ == 0 || is_local_error(best_error_) || !is_local_error(error)) {
        best_error_ = error;
    }
}

void connector::finish(base::fd&& socket) noexcept {
    connected_ = std::move(socket);
    // A child of fork() may hold copies of these descriptors, and epoll would keep reporting them.
    for (const auto& attempt : pending_) { unwatch(attempt.get()); }
    pending_.clear();
    timer_.reset();
    epoll_.reset();
    state_ = connector_state::connected;
}

void connector::fail(std::string&& failure, bool permanent) noexcept {
    state_ = connector_state::failed;
    failure_ = std::move(failure);
    permanent_ = permanent;
    pending_.clear();
    timer_.reset();
    epoll_.reset();
}

void connector::watch(int descriptor, std::uint32_t events) const {
    epoll_event interest{};
    interest.events = events;
    interest.data.fd = descriptor;
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &interest) != 0) {
        throw std::runtime_error{base::descriptor_failure("an epoll entry", errno)};
    }
}

void connector::unwatch(int descriptor) const noexcept {
    (void)::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
}

} // namespace holdfast::net
