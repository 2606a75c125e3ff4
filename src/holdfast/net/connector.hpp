#pragma once
// Makes one connected socket out of an endpoint: looks its name up and tries its addresses.

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

/// Tries a host's addresses in the system's order. The next one is tried when one has failed, and
/// also when it has said nothing for `head_start`: it stays in the race, and the first connection
/// that is made wins (RFC 8305). So an address that swallows everything costs a moment only.
///
///  resolving    found: connecting | unknown: failed
///  connecting   first connection: connected | all addresses failed: failed
///  connected    take() gives the socket
///  failed       failure() says why
///
/// Thread safety: none.
class connector {
public:
    enum class state : std::uint8_t { resolving, connecting, connected, failed };
    static constexpr std::chrono::milliseconds head_start{250};

    /// Throws std::system_error if there can be no thread or descriptor now.
    connector(const endpoint& where, const lookup& target);

    [[nodiscard]] state now_in() const noexcept { return state_; }
    [[nodiscard]] const std::string& failure() const noexcept { return failure_; }
    /// Whether the endpoint itself is wrong, so that it will never be connected.
    [[nodiscard]] bool hopeless() const noexcept { return hopeless_; }

    [[nodiscard]] pollfd wanted() const noexcept;
    void progress();
    [[nodiscard]] base::fd take() noexcept;

private:
    void start(const endpoint& where, const lookup& target);
    void watch(int descriptor, std::uint32_t events) const;
    void unwatch(int descriptor) const noexcept;
    void found(resolution&& resolution);
    void ready(int descriptor);
    void try_next();
    void attempted(int error);
    void settle(base::fd&& socket) noexcept;
    void fail(std::string&& why, bool for_good) noexcept;

    state state_ = state::connecting;
    std::string failure_{};
    bool hopeless_ = false;
    std::optional<resolver> resolver_{};
    std::vector<address> addresses_{};
    std::size_t next_ = 0;
    std::vector<base::fd> racing_{}; ///< begun, and not yet connected
    base::fd timer_{};               ///< when to try the next address although none has failed
    base::fd all_{};                 ///< epoll: all of the above, to poll for as one descriptor
    base::fd connected_{};
    int most_telling_ = 0;
};

} // namespace holdfast::net
