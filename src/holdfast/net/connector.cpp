#include "holdfast/net/connector.hpp"

#include "holdfast/net/system_text.hpp"

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
    if (descriptor < 0) { throw std::runtime_error{descriptor_failure(kind, errno)}; }
    return base::fd{descriptor};
}

// Says more about this machine, e.g. that it has no IPv6, than about the server.
bool is_local(int error) noexcept {
    return error == EADDRNOTAVAIL || error == EAFNOSUPPORT || error == ENETUNREACH;
}

std::string connect_text(int error) {
    // A unix socket cannot be waited for when its queue is full, and this is how it says so.
    if (error == EAGAIN) { return "too many connections wait for the server to accept them"; }
    return system_text(error);
}

} // namespace

connector::connector(const endpoint& where, const lookup& target)
    : all_{require(::epoll_create1(EPOLL_CLOEXEC), "an epoll instance")} {
    start(where, target);
}

void connector::start(const endpoint& where, const lookup& target) {
    if (!where.unix_path.empty()) {
        std::string why_not;
        const auto path = unix_address(where.unix_path, why_not);
        if (!path) { return fail(std::move(why_not), true); }
        return found({{*path}, {}});
    }
    if (where.host.empty()) { return fail("there is no host to connect to", true); }
    if (const auto numeric = numeric_address(where.host, where.port)) {
        return found({{*numeric}, {}});
    }
    state_ = state::resolving;
    resolver_.emplace(where.host, where.port, target);
    watch(resolver_->descriptor(), EPOLLIN);
}

pollfd connector::wanted() const noexcept {
    const bool going = state_ == state::resolving || state_ == state::connecting;
    return {.fd = going ? all_.get() : -1, .events = POLLIN, .revents = 0};
}

base::fd connector::take() noexcept { return std::move(connected_); }

void connector::progress() {
    std::array<epoll_event, 8> events{};
    const int count = ::epoll_wait(all_.get(), events.data(), static_cast<int>(events.size()), 0);
    for (int i = 0; i < count; ++i) {
        if (state_ != state::resolving && state_ != state::connecting) { return; }
        ready(events[static_cast<std::size_t>(i)].data.fd);
    }
}

void connector::ready(int descriptor) {
    if (resolver_ && descriptor == resolver_->descriptor()) {
        if (auto result = resolver_->take()) { found(std::move(*result)); }
        return;
    }
    if (descriptor == timer_.get()) {
        try_next();
        return;
    }
    const auto which = std::ranges::find(racing_, descriptor, &base::fd::get);
    if (which == racing_.end()) { return; }
    const int error = outcome_of(descriptor);
    unwatch(descriptor);
    base::fd socket = std::move(*which);
    racing_.erase(which);
    if (error == 0) {
        settle(std::move(socket));
    } else {
        attempted(error);
        try_next();
    }
}

void connector::found(resolution&& resolution) {
    if (resolver_) {
        unwatch(resolver_->descriptor());
        resolver_.reset();
    }
    if (resolution.addresses.empty()) { return fail(std::move(resolution.failure), false); }
    state_ = state::connecting;
    addresses_ = std::move(resolution.addresses);
    if (addresses_.size() > 1) {
        timer_ = require(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), "a timer");
        watch(timer_.get(), EPOLLIN);
    }
    try_next();
}

void connector::try_next() {
    while (next_ < addresses_.size()) {
        auto begun = begin_connection(addresses_[next_++]);
        if (begun.error == 0) { return settle(std::move(begun.socket)); }
        if (begun.error != EINPROGRESS) {
            attempted(begun.error);
            continue;
        }
        watch(begun.socket.get(), EPOLLOUT);
        racing_.push_back(std::move(begun.socket));
        break;
    }
    if (racing_.empty()) { return fail(connect_text(most_telling_), false); }
    if (!timer_) { return; }
    // Setting it also takes back that it has expired; zero is off.
    itimerspec when{};
    if (next_ < addresses_.size()) {
        when.it_value.tv_nsec = std::chrono::nanoseconds{head_start}.count();
    }
    ::timerfd_settime(timer_.get(), 0, &when, nullptr);
}

void connector::attempted(int error) {
    if (most_telling_ == 0 || is_local(most_telling_) || !is_local(error)) {
        most_telling_ = error;
    }
}

void connector::settle(base::fd&& socket) noexcept {
    connected_ = std::move(socket);
    // A child of fork() may keep copies of them open, which epoll would go on reporting.
    for (const auto& one : racing_) { unwatch(one.get()); }
    racing_.clear();
    timer_.reset();
    all_.reset();
    state_ = state::connected;
}

void connector::fail(std::string&& why, bool for_good) noexcept {
    state_ = state::failed;
    failure_ = std::move(why);
    hopeless_ = for_good;
    racing_.clear();
    timer_.reset();
    all_.reset();
}

void connector::watch(int descriptor, std::uint32_t events) const {
    epoll_event what{};
    what.events = events;
    what.data.fd = descriptor;
    if (::epoll_ctl(all_.get(), EPOLL_CTL_ADD, descriptor, &what) != 0) {
        throw std::runtime_error{descriptor_failure("an epoll entry", errno)};
    }
}

void connector::unwatch(int descriptor) const noexcept {
    (void)::epoll_ctl(all_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
}

} // namespace holdfast::net
