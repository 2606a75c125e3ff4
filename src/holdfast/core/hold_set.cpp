#include "holdfast/core/hold_set.hpp"

#include "holdfast/core/client_core.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::core {

using base::duration;
using base::instant;

hold_set::hold_set(client_core& core, std::vector<std::shared_ptr<hold>> holds) noexcept
    : core_{core}, holds_{std::move(holds)} {}

duration hold_set::remaining() const noexcept {
    auto least = duration::max();
    for (const auto& each : holds_) { least = std::min(least, each->remaining()); }
    return least;
}

std::optional<loss> hold_set::why_lost() const noexcept {
    const auto reason = why_lost_.load(std::memory_order_acquire);
    return reason < 0 ? std::nullopt : std::optional{static_cast<loss>(reason)};
}

std::optional<loss> hold_set::why_invalid() const noexcept {
    for (const auto& each : holds_) {
        if (why_lost()) { break; } // of the name that was lost first
        if (const auto reason = each->why_invalid()) { return reason; }
    }
    return why_lost();
}

void hold_set::watch(instant now) noexcept {
    for (const auto& each : holds_) { each->join(shared_from_this()); }
    for (const auto& each : holds_) {
        if (const auto reason = each->why_lost()) { on_loss(*each, *reason, now); }
    }
}

void hold_set::stop_watching() noexcept {
    for (const auto& each : holds_) { each->join(nullptr); }
}

std::stop_token hold_set::lost() {
    return loss_signal_.token(core_.notifier(), why_lost().has_value());
}

/// The first loss counts. The other holds protect nothing any more: their names become free.
void hold_set::on_loss(const hold& lost, loss reason, instant now) noexcept {
    if (why_lost()) { return; }
    why_lost_.store(static_cast<int>(reason), std::memory_order_release);
    for (const auto& each : holds_) {
        if (each.get() != &lost && !each->why_lost()) {
            each->release_in_background(nullptr, false, now);
        }
    }
    loss_signal_.post(core_.notifier());
}

} // namespace holdfast::core
