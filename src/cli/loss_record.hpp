#pragma once
// Why the lock of a `run` was lost, from the events of its client.

#include <holdfast/lease.hpp>
#include <holdfast/observer.hpp>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>

namespace holdfast::cli {

/// Keeps the last failed renewal and the loss of a client with one lease or set.
///
/// Thread safety: all members may be called from any thread.
class loss_record final : public observer {
public:
    void on_event(const event& event) noexcept override;

    /// One clause for people, e.g. "it was broken: an operator ended this hold". A command is ended
    /// before its lease expires, so the client may not have reported a loss yet: `reason` is empty.
    [[nodiscard]] std::string cause(std::optional<loss> reason, bool has_max_hold) const;

private:
    mutable std::mutex mutex_{};
    mutable std::condition_variable changed_{};
    std::string loss_{};            ///< empty: no loss was reported
    std::string renewal_failure_{}; ///< empty: the last renewal succeeded
};

} // namespace holdfast::cli
