// hold: why it was lost.

#include "holdfast/core/client_core.hpp"
#include "holdfast/core/hold.hpp"

#include <string>

namespace holdfast::core {

std::optional<loss> hold::why_lost() const noexcept {
    const auto reason = why_lost_.load(std::memory_order_acquire);
    return reason < 0 ? std::nullopt : std::optional{static_cast<loss>(reason)};
}

std::optional<loss> hold::why_invalid() const noexcept {
    // First: a loss is stored before the 0 that stands for it.
    const auto until = valid_until_.load(std::memory_order_acquire);
    if (const auto reported = why_lost(); reported || until == 0 || inherited()) {
        return reported;
    }
    if (core_.now() < base::instant{base::duration{until}}) { return std::nullopt; }
    return loss_at_deadline_.load(std::memory_order_relaxed);
}

std::string hold::describe_loss(loss reason) const {
    if (reason == loss::taken) {
        if (was_broken_) { return "it was broken: an operator ended this hold"; }
        const std::string gone = "the engine no longer has it: its data was lost, or it was broken";
        return last_detail_.empty() ? gone : gone + " (" + last_detail_ + ")";
    }
    std::string out = describe(reason);
    if (reason != loss::expired) { return out; }
    if (renewal_unanswered_) { return out + ": the engine has not answered its last renewal"; }
    return last_detail_.empty() ? out : out + ": " + last_detail_;
}

const char* describe(loss reason) noexcept {
    switch (reason) {
    case loss::expired: return "it was not renewed in time";
    case loss::taken: return "the engine no longer knows it: broken, or its data was lost";
    case loss::max_hold: return "max_hold is over";
    case loss::thread_exited: return "the thread that held it has ended";
    }
    return "";
}

} // namespace holdfast::core
