// acquire_task: the text of a failure, with each node's vote.

#include "holdfast/engine/quorum/acquire_task.hpp"

namespace holdfast::engine::quorum {

std::string acquire_task::describe_votes(base::instant now) const {
    const auto majority = majority_of(ballot_.nodes());
    std::string text = "no quorum: " + std::to_string(majority) + " of " +
                       std::to_string(ballot_.nodes()) + " nodes must grant the lock";
    for (unsigned node = 0; node < ballot_.nodes(); ++node) {
        text += (node == 0 ? ": " : "; ") + host_.nodes.label(node) + ' ';
        switch (ballot_.of(node)) {
        case vote::yes: text += "granted it"; break;
        case vote::no: text += "has another holder"; break;
        case vote::low: text += "has seen a higher token"; break;
        case vote::open: text += joining_.has(node) ? "has not joined" : "has not answered"; break;
        case vote::down:
        case vote::unknown:
            text += details_[node].empty() ? host_.nodes.trouble(node, now) : details_[node];
            break;
        }
    }
    const auto reason = host_.nodes.why_some_wait(now);
    return reason.empty() ? text : text + "; " + reason;
}

} // namespace holdfast::engine::quorum
