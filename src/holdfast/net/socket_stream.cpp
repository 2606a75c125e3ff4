#include "holdfast/net/socket_stream.hpp"

#include <exception>
#include <sys/socket.h>
#include <utility>

namespace holdfast::net {

std::string_view socket_stream::step() const noexcept {
    if (!connector_) { return {}; }
    return connector_->state() == connector_state::resolving ? "looking up the host name"
                                                             : "connecting";
}

pollfd socket_stream::pollable() const noexcept {
    if (connector_) { return connector_->pollable(); }
    return {.fd = state_ == stream_state::failed ? -1 : socket_.get(),
            .events = events(),
            .revents = 0};
}

void socket_stream::connect(const endpoint& endpoint, const lookup_function& lookup) {
    try {
        connector_.emplace(endpoint, lookup);
        check_connector();
    } catch (const std::exception& problem) { fail(problem.what()); }
}

void socket_stream::progress() {
    if (state_ == stream_state::failed) { return; }
    if (!connector_) { return on_socket_ready(); }
    try {
        connector_->progress();
        check_connector();
    } catch (const std::exception& problem) { fail(problem.what()); }
}

void socket_stream::check_connector() {
    switch (connector_->state()) {
    case connector_state::resolving:
    case connector_state::connecting: break;
    case connector_state::connected:
        socket_ = connector_->take();
        connector_.reset();
        on_connected();
        break;
    case connector_state::failed:
        fail(std::string{connector_->failure()}, connector_->failure_is_permanent());
        break;
    }
}

void socket_stream::fail(std::string&& failure, bool permanent) noexcept {
    if (state_ == stream_state::failed) { return; }
    state_ = stream_state::failed;
    failure_ = std::move(failure);
    permanent_ = permanent;
    connector_.reset();
    // The destructor closes the socket. Another thread may be in recv() on this descriptor, and the
    // kernel must not reuse its number meanwhile.
    if (socket_) { ::shutdown(socket_.get(), SHUT_RDWR); }
}

bool has_unread_bytes(int socket) noexcept {
    char byte = 0;
    return ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

} // namespace holdfast::net
