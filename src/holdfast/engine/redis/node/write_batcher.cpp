#include "holdfast/engine/redis/node/write_batcher.hpp"

#include <algorithm>

namespace holdfast::engine::redis {

namespace {

/// Fewer replies than this arrive too soon for holding to pay.
constexpr std::size_t few_replies = 4;

/// A thread that continues with the next lock does so well within this time; for why it is not
/// shorter, see docs/decisions/0013.
constexpr base::milliseconds longest_deferral{1};

} // namespace

bool write_batcher::should_flush(flush_occasion occasion, const channel_traffic& traffic,
                                 base::instant now) {
    const bool submitted = occasion == flush_occasion::submit;
    const bool more_may_come = traffic.sent >= few_replies && traffic.in_flight < recent_peak_;
    if (submitted && traffic.being_read && more_may_come) { return false; }
    if (!submitted && recent_peak_ > 0) { --recent_peak_; }
    recent_peak_ = std::max(recent_peak_, traffic.in_flight);
    const bool all_deferred = deferred_ == traffic.in_flight - traffic.sent;
    if (submitted && !traffic.being_read && all_deferred && now < deferred_until_) { return false; }
    deferred_ = 0;
    return true;
}

void write_batcher::defer_write(base::instant now) {
    if (deferred_++ == 0) { deferred_until_ = now + longest_deferral; }
}

} // namespace holdfast::engine::redis
