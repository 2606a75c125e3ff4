#pragma once
// What all streams over a socket have in common: the connection, and the way to failure.

#include "holdfast/base/fd.hpp"
#include "holdfast/net/connector.hpp"
#include "holdfast/net/resolver.hpp"
#include "holdfast/net/stream.hpp"

#include <optional>
#include <poll.h>
#include <string>
#include <string_view>

namespace holdfast::net {

/// Connects, and then leaves it to the derived class.
class socket_stream : public stream {
public:
    [[nodiscard]] state now_in() const noexcept final { return state_; }
    [[nodiscard]] const std::string& failure() const noexcept final { return failure_; }
    [[nodiscard]] bool hopeless() const noexcept final { return hopeless_; }
    [[nodiscard]] std::string_view step() const noexcept override;
    [[nodiscard]] pollfd wanted() const noexcept final;
    void progress() final;

protected:
    socket_stream() = default;

    /// Called by the constructor of the derived class, or not at all if it has failed already.
    void connect(const endpoint& where, const lookup& target);

    /// Has a socket now; goes on to opened() at once or in time.
    virtual void connected() = 0;
    /// While there is a socket: what to poll it for, and what to do then.
    [[nodiscard]] virtual short events() const noexcept = 0;
    virtual void go_on() {}

    void opened() noexcept { state_ = state::open; }
    /// Closes the socket. Only the first failure counts.
    void fail(std::string&& why, bool for_good = false) noexcept;
    [[nodiscard]] int socket() const noexcept { return socket_.get(); }

private:
    void follow_connector();

    state state_ = state::opening;
    std::string failure_{};
    bool hopeless_ = false;
    std::optional<connector> connector_{};
    base::fd socket_{};
};

/// Whether bytes that have arrived wait to be read: the last words of a peer that is gone.
[[nodiscard]] bool has_bytes_left(int socket) noexcept;

inline constexpr const char* closed_by_server = "the server closed the connection";

} // namespace holdfast::net
