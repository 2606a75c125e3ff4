#pragma once
// Connects a socket to an endpoint: resolves the host name and tries its addresses.

#include "holdfast/base/fd.hpp"
#include "holdfast/net/address.hpp"
#include "holdfast/net/endpoint.hpp"
#include "holdfast/net/resolver.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <poll.h>
#include <string>
#include <vector>

namespace holdfast::net {

enum class connector_state : std::uint8_t { resolving, connecting, connected, failed };

/// Tries a host's addresses in the system's order. It starts the next attempt when one fails, or
/// when one has been pending for `attempt_delay`; the first connection that is established wins
/// (RFC 8305). So an address that drops packets delays the connection only by `attempt_delay`.
///
///  resolving    resolved: connecting | unknown host: failed
///  connecting   first connection: connected | all addresses failed: failed
///  connected    take() returns the socket
///  failed       failure() is the reason
///
/// Thread safety: none.
class connector {
public:
    static constexpr std::chrono::milliseconds attempt_delay{250};

    /// Throws std::system_error if the system refuses a descriptor.
    connector(const endpoint& endpoint, const lookup_function& lookup);

    [[nodiscard]] connector_state state() const noexcept { return state_; }
    [[nodiscard]] const std::string& failure() const noexcept { return failure_; }
    /// The endpoint itself is invalid, so another attempt cannot succeed.
    [[nodiscard]] bool failure_is_permanent() const noexcept { return permanent_; }

    [[nodiscard]] pollfd pollable() const noexcept;
    void progress();
    [[nodiscard]] base::fd take() noexcept;

private:
    [[nodiscard]] bool is_running() const noexcept {
        return state_ == connector_state::resolving || state_ == connector_state::connecting;
    }
    void start(const endpoint& endpoint, const lookup_function& lookup);
    void watch(int descriptor, std::uint32_t events) const;
    void unwatch(int descriptor) const noexcept;
    void on_resolved(resolution&& resolution);
    void on_ready(int descriptor);
    void try_next();
    void record_error(int error);
    void finish(base::fd&& socket) noexcept;
    void fail(std::string&& failure, bool permanent) noexcept;

    connector_state state_ = connector_state::connecting;
    std::string failure_{};
    bool permanent_ = false;
    std::optional<resolver> resolver_{};
    std::vector<address> addresses_{};
    std::size_t next_ = 0;
    std::vector<base::fd> pending_{}; ///< attempts in progress
    base::fd timer_{};                ///< fires after attempt_delay: start the next attempt
    base::fd epoll_{};                ///< watches all of the above, so that callers poll one fd
    base::fd connected_{};
    int best_error_ = 0; ///< the most informative error of the failed attempts
};

} // namespace holdfast::net
