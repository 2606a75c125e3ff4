#pragma once
// When buffered commands are written to the socket.

#include "holdfast/base/clock.hpp"

#include <cstddef>
#include <cstdint>

namespace holdfast::engine::redis {

enum class flush_occasion : std::uint8_t {
    submit, ///< requests were enqueued; nothing was read
    read,   ///< the socket was read or polled
};

struct channel_traffic {
    std::size_t in_flight = 0; ///< operations, also those that are not sent
    std::size_t sent = 0;      ///< of them
    bool being_read = false;   ///< a thread blocks in a read, and will flush after it
};

/// Batches writes; pure policy, it does no I/O.
///
///  occasion  a thread blocks   requests sent    in flight     decision
///            in a read         and unanswered
///  submit    yes               4 or more        below peak    hold: that thread flushes
///  submit    yes               4 or more        at the peak   flush
///  submit    yes               fewer            any           flush
///  submit    no, and all that is unsent was deferred
///            less than 1 ms ago                               hold: a command may follow
///  submit    no                any              any           flush
///  read      any               any              any           flush
///
/// While replies are pending, new requests stay buffered and the reading thread flushes them
/// together with those that the replies cause. At the recent peak no more requests are likely:
/// flush at once, so that the server does not run out of work. See docs/decisions/0012 and 0013.
///
/// Which writes are deferred, `core::hold` decides (`release_op::can_wait`): a release in the
/// background that no caller waits for, of a lock that was held briefly and not handed off.
///
/// Thread safety: none.
class write_batcher {
public:
    /// Whether to write the buffered commands. REQUIRES: there are some.
    [[nodiscard]] bool should_flush(flush_occasion occasion, const channel_traffic& traffic,
                                    base::instant now);

    /// The request that is enqueued next is deferred: it can wait for one more.
    void defer_write(base::instant now);
    /// When deferred writes must be sent; never: there are none.
    [[nodiscard]] base::instant due() const noexcept {
        return deferred_ > 0 ? deferred_until_ : base::never;
    }
    /// Nothing is buffered any more: a deferred command went out together with others, or its
    /// connection ended.
    void on_empty() noexcept { deferred_ = 0; }

private:
    std::size_t recent_peak_ = 0; ///< of operations in flight; decays by one each read
    std::size_t deferred_ = 0;    ///< how many of the last unsent requests can wait
    base::instant deferred_until_{};
};

} // namespace holdfast::engine::redis
