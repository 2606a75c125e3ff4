#pragma once
// Why the lock of a `run` was lost, from the events of its client.

#include <holdfast/lease.hpp>
#include <holdfast/observer.hpp>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::cli {

struct loss_cause {
    std::string text{};      ///< a clause for people: "it was broken: an operator ended this hold"
    std::string_view word{}; ///< for programs; docs/metrics.md lists them
    bool intended = false;   ///< somebody wanted the hold to end: do not advise to run it again
    std::string lock{};      ///< its name, if the client has reported a loss
};

/// Keeps the last failed renewal and the loss of a client with one lease or set.
///
/// Thread safety: all members may be called from any thread.
class loss_record final : public observer {
public:
    void on_event(const event& event) noexcept override;

    /// A command is ended before its lease expires, so the client may not have reported a loss yet:
    /// `reason` is empty. `max_hold_ends`: that ends the hold, and not the lease.
    [[nodiscard]] loss_cause cause(std::optional<loss> reason, bool max_hold_ends) const;
    /// Why the last renewal has failed, and so why the lease will expire; empty: it succeeded.
    [[nodiscard]] std::string renewal_failure() const;

private:
    [[nodiscard]] loss_cause cause_locked(std::optional<loss> reason, bool max_hold_ends) const;
    [[nodiscard]] loss_cause taken_cause() const;

    mutable std::mutex mutex_{};
    mutable std::condition_variable changed_{};
    std::string loss_{}; ///< the first; empty: no loss was reported
    std::string lost_lock_{};
    std::string renewal_failure_{}; ///< empty: the last renewal succeeded
};

} // namespace holdfast::cli
