#pragma once
// Who waits: users of Holdfast, and for comparison those who pass a token through a list.

#include "redis/crowd.hpp"
#include "redis/server.hpp"

#include <holdfast/holdfast.hpp>

#include <optional>

namespace holdfast::bench::redis {

inline constexpr const char* contended = "contended";

/// Whether our releases are waited for.
enum class releases { awaited, pipelined };

/// Each has a `client` of its own and locks the mutex `contended`.
[[nodiscard]] make_waiter our_waiters(const server& at, releases releases = releases::awaited);
/// Floor (d): each has a connection; BLPOP takes the token out of the list, RPUSH puts it back.
[[nodiscard]] make_waiter list_waiters(const server& at);

/// Has the lock, or the token, until it is let go. Made after the crowd: it has threads.
class gate {
public:
    gate() = default;
    gate(const gate&) = delete;
    gate& operator=(const gate&) = delete;
    virtual ~gate() = default;
    virtual void open() = 0;
    [[nodiscard]] virtual std::size_t waiting() = 0; ///< how many are queued at it
};
using make_gate = std::function<std::unique_ptr<gate>()>;

[[nodiscard]] make_gate our_gate(const server& at);
[[nodiscard]] make_gate list_gate(const server& at);

/// Both sides of a comparison.
struct side {
    make_waiter waiters;
    make_gate before;
};
[[nodiscard]] inline side our_side(const server& at, releases releases = releases::awaited) {
    return {our_waiters(at, releases), our_gate(at)};
}
[[nodiscard]] inline side list_side(const server& at) { return {list_waiters(at), list_gate(at)}; }

} // namespace holdfast::bench::redis
