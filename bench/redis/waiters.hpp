#pragma once
// The waiters of the benchmark: users of Holdfast, and for comparison users of a token in a list.

#include "redis/crowd.hpp"
#include "redis/server.hpp"

#include <holdfast/holdfast.hpp>

#include <optional>

namespace holdfast::bench::redis {

inline constexpr const char* contended = "contended";

/// Whether Holdfast's releases are awaited.
enum class releases { awaited, pipelined };

/// Each has a `client` of its own and locks the mutex `contended`.
[[nodiscard]] make_waiter our_waiters(const server& server, releases releases = releases::awaited);
/// Floor (d): each has a connection; BLPOP takes the token out of the list, RPUSH puts it back.
[[nodiscard]] make_waiter list_waiters(const server& server);

/// Holds the lock, or the token, until open(). Made after the crowd, because it has threads.
class gate {
public:
    gate() = default;
    gate(const gate&) = delete;
    gate& operator=(const gate&) = delete;
    virtual ~gate() = default;
    virtual void open() = 0;
    [[nodiscard]] virtual std::size_t waiting() = 0; ///< how many waiters are queued
};
using make_gate = std::function<std::unique_ptr<gate>()>;

[[nodiscard]] make_gate our_gate(const server& server);
[[nodiscard]] make_gate list_gate(const server& server);

/// One side of a comparison.
struct side {
    make_waiter waiters;
    make_gate before;
};
[[nodiscard]] inline side our_side(const server& server, releases releases = releases::awaited) {
    return {our_waiters(server, releases), our_gate(server)};
}
[[nodiscard]] inline side list_side(const server& server) {
    return {list_waiters(server), list_gate(server)};
}

} // namespace holdfast::bench::redis
