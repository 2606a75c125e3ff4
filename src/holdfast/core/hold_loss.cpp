// hold: the text of its loss.

#include "holdfast/core/hold.hpp"

#include <string>

namespace holdfast::core {

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
