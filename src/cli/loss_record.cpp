#include "cli/loss_record.hpp"

#include <chrono>
#include <new>

namespace holdfast::cli {

namespace {

/// A loss signal and its event come from one thread of the library, shortly after another.
constexpr std::chrono::milliseconds event_delay{100};

} // namespace

void loss_record::on_event(const event& event) noexcept {
    const std::lock_guard lock{mutex_};
    try {
        switch (event.type) {
        case event::kind::lost:
            if (!loss_.empty()) { break; } // of a set: the first loss has ended the others
            loss_ = event.detail;
            lost_lock_ = event.name;
            break;
        case event::kind::renewal_failed:
            renewal_failure_ = event.detail.empty() ? event.error.message() : event.detail;
            break;
        case event::kind::renewal_recovered: renewal_failure_.clear(); break;
        default: break;
        }
    } catch (const std::bad_alloc&) { // NOLINT(bugprone-empty-catch): the cause stays unknown
    }
    changed_.notify_all();
}

/// The library reports a break and lost data with one error: only the text differs.
loss_cause loss_record::taken_cause() const {
    if (loss_.starts_with("it was broken")) { return {loss_, "broken", true}; }
    return {loss_.empty() ? "the engine no longer has it" : loss_, "data_lost"};
}

loss_cause loss_record::cause(std::optional<loss> reason, bool max_hold_ends) const {
    std::unique_lock lock{mutex_};
    if (reason) {
        changed_.wait_for(lock, event_delay, [this] { return !loss_.empty(); });
    }
    auto out = cause_locked(reason, max_hold_ends);
    out.lock = lost_lock_;
    return out;
}

std::string loss_record::renewal_failure() const {
    const std::lock_guard lock{mutex_};
    return renewal_failure_;
}

/// Requires: mutex_ is locked.
loss_cause loss_record::cause_locked(std::optional<loss> reason, bool max_hold_ends) const {
    if (reason == loss::taken) { return taken_cause(); }
    if (max_hold_ends || reason == loss::max_hold) {
        return {"--max-hold is over", "max_hold", true};
    }
    const auto* const word = renewal_failure_.empty() ? "expired" : "unreachable";
    if (!loss_.empty()) { return {loss_, word}; }
    if (!renewal_failure_.empty()) {
        return {"it could not be renewed: " + renewal_failure_, word};
    }
    return {"it was not renewed in time: the engine did not answer, or this process was stopped",
            word};
}

} // namespace holdfast::cli
