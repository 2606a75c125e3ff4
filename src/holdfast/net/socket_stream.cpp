#include "holdfast/net/socket_stream.hpp"

#include <exception>
#include <sys/socket.h>
#include <utility>

namespace holdfast::net {

std::string_view socket_stream::step() const noexcept {
    if (!connector_) { return {}; }
    return connector_->now_in() == connector::state::resolving ? "looking up the host name"
                                                               : "connecting";
}

pollfd socket_stream::wanted() const noexcept {
    if (connector_) { return connector_->wanted(); }
    return {.fd = state_ == state::failed ? -1 : socket_.get(), .events = events(), .revents = 0};
}

void socket_stream::connect(const endpoint& where, const lookup& target) {
    try {
        connector_.emplace(where, target);
        follow_connector();
    } catch (const std::exception& problem) { fail(problem.what()); }
}

void socket_stream::progress() {
    if (state_ == state::failed) { return; }
    if (!connector_) { return go_on(); }
    try {
        connector_->progress();
        follow_connector();
    } catch (const std::exception& problem) { fail(problem.what()); }
}

void socket_stream::follow_connector() {
    switch (connector_->now_in()) {
    case connector::state::resolving:
    case connector::state::connecting: break;
    case connector::state::connected:
        socket_ = connector_->take();
        connector_.reset();
        connected();
        break;
    case connector::state::failed:
        fail(std::string{connector_->failure()}, connector_->hopeless());
        break;
    }
}

void socket_stream::fail(std::string&& why, bool for_good) noexcept {
    if (state_ == state::failed) { return; }
    state_ = state::failed;
    failure_ = std::move(why);
    hopeless_ = for_good;
    connector_.reset();
    // Not closed yet: another thread may be reading from the descriptor, and its number must not
    // come to mean another file before that thread knows.
    if (socket_) { ::shutdown(socket_.get(), SHUT_RDWR); }
}

bool has_bytes_left(int socket) noexcept {
    char one = 0;
    return ::recv(socket, &one, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

} // namespace holdfast::net
