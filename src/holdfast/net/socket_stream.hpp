#pragma once
// The base of all streams over a socket: connecting and failing.

#include "holdfast/base/fd.hpp"
#include "holdfast/net/connector.hpp"
#include "holdfast/net/resolver.hpp"
#include "holdfast/net/stream.hpp"

#include <optional>
#include <poll.h>
#include <string>
#include <string_view>

namespace holdfast::net {

/// Connects the socket; the derived class does the rest.
class socket_stream : public stream {
public:
    [[nodiscard]] stream_state state() const noexcept final { return state_; }
    [[nodiscard]] const std::string& failure() const noexcept final { return failure_; }
    [[nodiscard]] bool failure_is_permanent() const noexcept final { return permanent_; }
    [[nodiscard]] std::string_view step() const noexcept override;
    [[nodiscard]] pollfd pollable() const noexcept final;
    void progress() final;

protected:
    socket_stream() = default;

    /// The constructor of the derived class calls it, unless it has failed already.
    void connect(const endpoint& endpoint, const lookup_function& lookup);

    /// The socket is connected. The derived class calls set_open() now or later.
    virtual void on_connected() = 0;
    /// The events to poll a connected socket for, and the reaction to them.
    [[nodiscard]] virtual short events() const noexcept = 0;
    virtual void on_socket_ready() {}

    void set_open() noexcept { state_ = stream_state::open; }
    /// Shuts the socket down. Only the first failure counts.
    void fail(std::string&& failure, bool permanent = false) noexcept;
    [[nodiscard]] int socket() const noexcept { return socket_.get(); }

private:
    void check_connector();

    stream_state state_ = stream_state::opening;
    std::string failure_{};
    bool permanent_ = false;
    std::optional<connector> connector_{};
    base::fd socket_{};
};

/// Whether received bytes are unread, e.g. an error message that the peer sent before it closed.
[[nodiscard]] bool has_unread_bytes(int socket) noexcept;

inline constexpr const char* closed_by_server = "the server closed the connection";

} // namespace holdfast::net
