#pragma once
// The holds of a lease_set: all are valid, or the set is lost.

#include "holdfast/core/hold.hpp"
#include "holdfast/core/loss_signal.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace holdfast::core {

/// Owned by the public lease_set.
///
///  held      a hold is lost: lost, and the others are released | released by its owner: ended
///  lost      final
class hold_set final : public std::enable_shared_from_this<hold_set> {
public:
    /// In the order of their names.
    hold_set(client_core& core, std::vector<std::shared_ptr<hold>> holds) noexcept;

    // From any thread, without a lock.
    [[nodiscard]] bool valid() const noexcept { return remaining() > base::duration::zero(); }
    [[nodiscard]] base::duration remaining() const noexcept;
    [[nodiscard]] std::optional<loss> why_lost() const noexcept; ///< as hold::why_lost()
    [[nodiscard]] std::optional<loss> why_invalid() const noexcept;
    [[nodiscard]] const std::vector<std::shared_ptr<hold>>& holds() const noexcept {
        return holds_;
    }
    [[nodiscard]] bool inherited() const noexcept { return holds_.front()->inherited(); }

    // During a turn of the driver.
    /// Begins to watch the holds; one may be lost already.
    void watch(base::instant now) noexcept;
    /// Its owner releases it.
    void stop_watching() noexcept;
    /// Throws std::system_error if the system refuses a thread for the callbacks.
    [[nodiscard]] std::stop_token lost();
    void on_loss(const hold& lost, loss reason, base::instant now) noexcept;

private:
    client_core& core_;
    std::vector<std::shared_ptr<hold>> holds_;
    loss_signal loss_signal_;
    std::atomic<int> why_lost_{-1};
};

} // namespace holdfast::core
