#pragma once
// Finds violations of the promises in a history.
//
// A reported violation has certainly happened, provided the events were recorded at the moments
// that event.hpp defines. All stamps must be of one host.

#include "history/event.hpp"

#include <vector>

namespace holdfast::history {

enum class rule {
    two_exclusive,         ///< two exclusive leases valid at the same instant
    exclusive_with_shared, ///< an exclusive and a shared lease valid at the same instant
    too_many_permits,      ///< more permits in valid leases than the limit
    mixed_use,       ///< leases of different limits or primitives, or of 0 or too many permits
    token_order,     ///< an exclusive token not above all before it
    token_twice,     ///< two exclusive holds with the same token
    wrong_epoch,     ///< a reader whose token is not that of the last exclusive grant
    stale_write,     ///< accepted after a write with a higher token was accepted
    lost_update,     ///< a counter that did not go up by one from write to write
    starved,         ///< a request left waiting although the lock was free or passed on
    overtaken,       ///< a request served although another had long been waiting
    late_loss,       ///< lost() fired too late
    unreported_loss, ///< the lease ran out and lost() did not fire
    revived,         ///< renewed after it was lost or had run out
    incoherent,      ///< events that do not fit together: the recording is wrong
};

struct check_options {
    /// P2: lost() fires by N plus this while the process is scheduled ...
    std::chrono::nanoseconds loss_notice{std::chrono::milliseconds{20}};
    /// ... and within this after it was continued.
    std::chrono::nanoseconds loss_notice_after_stop{std::chrono::milliseconds{100}};
    /// How long a request may wait, once the lock has been free or passed on. Time that its process
    /// was stopped does not count. Choose it above waiters x longest hold, and above min_hold.
    std::chrono::nanoseconds starvation_bound{std::chrono::seconds{10}};
    /// P6, for engines that state `fifo`.
    bool fifo{false};
    /// How far apart two requests, or two grants, must be before their order counts.
    std::chrono::nanoseconds fifo_tolerance{std::chrono::milliseconds{50}};
    /// The values of accepted writes of a name are one counter. Each killed process may have
    /// written one value without recording it.
    bool counter{false};
    /// The engine lost its data, so two leases may have been valid at once. Then a grant is known
    /// to be the later one only if it was requested after the other was recorded.
    bool data_lost{false};
};

struct violation {
    rule broken_rule{};
    int promise{}; ///< the number in docs/safety.md, 0 if none is concerned
    std::string name{};
    std::string sentence{};
    std::vector<event> events{};
};

[[nodiscard]] std::string_view to_string(rule r) noexcept;
[[nodiscard]] int promise_of(rule r) noexcept;

/// The events may come in any order. Takes O(n log n) time.
[[nodiscard]] std::vector<violation> check(const std::vector<event>& events,
                                           const check_options& options = {});

} // namespace holdfast::history
