// hold: what its loss means to others.

#include "holdfast/core/client_core.hpp"
#include "holdfast/core/hold.hpp"
#include "holdfast/core/hold_set.hpp"

#include <holdfast/error.hpp>

namespace holdfast::core {

void hold::report_loss(base::instant now) noexcept {
    const auto reason = *machine_.loss_reason();
    core_.driver().metrics().on_lost(reason);
    why_lost_.store(static_cast<int>(reason), std::memory_order_release);
    if (loss_signal_) { core_.notifier().post(loss_signal_); }
    core_.report_event([&] {
        return event{reason == loss::thread_exited ? event::kind::thread_exited : event::kind::lost,
                     ticket_.name,
                     ticket_.owner.text(),
                     token_,
                     make_error_code(errc::lost),
                     describe_loss(reason)};
    });
    core_.driver().unlisten(ticket_.owner.number);
    complete_extends(base::never, {}, false, {});
    if (const auto set = set_.lock()) { set->on_loss(*this, reason, now); }
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
