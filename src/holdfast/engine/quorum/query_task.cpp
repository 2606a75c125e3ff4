#include "holdfast/engine/quorum/query_task.hpp"

#include "holdfast/engine/quorum/report_merge.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <utility>

namespace holdfast::engine::quorum {

using base::instant;

query_task::query_task(task_host& host, op_id id, const op& op, instant give_up)
    : task{id, give_up}, host_{host}, request_{op} {}

void query_task::start(instant now) {
    missing_ = node_set::all(host_.nodes.size());
    for (unsigned node = 0; node < host_.nodes.size(); ++node) {
        host_.ask(*this, node, 0, request_, give_up(), now);
    }
}

void query_task::on_answer(unsigned node, unsigned /*tag*/, answer& answer, instant /*now*/) {
    if (!is_open()) { return; }
    missing_.remove(node);
    if (answer.status == op_status::released || answer.status == op_status::unknown) {
        may_have_happened_ = true;
    }
    if (is_definite(answer)) {
        if (answer.report && !answer.report->text.empty()) {
            auto report = *answer.report;
            report.text = host_.nodes.label(node) + ": " + report.text;
            answer.report = std::make_shared<const engine::report>(std::move(report));
        }
        answers_.push_back(std::move(answer));
    } else {
        failures_ += (failures_.empty() ? "" : "; ") + host_.nodes.label(node) + ": " +
                     (answer.detail.empty() ? "no answer" : without_server(answer.detail));
    }
    if (missing_.empty()) { conclude(); }
}

void query_task::on_give_up(instant /*now*/) { conclude(); }

void query_task::conclude() {
    const bool enough = answers_.size() >= majority_of(host_.nodes.size());
    host_.complete(*this, enough ? merged() : too_few());
}

/// A break that some nodes have, or may have, executed is no failure: whoever repeated it could
/// break the hold of the next owner.
answer query_task::too_few() const {
    answer out;
    const bool may_be_broken =
        std::holds_alternative<break_op>(request_) && (may_have_happened_ || !missing_.empty());
    out.status = may_be_broken ? op_status::unknown : op_status::failed;
    out.error = make_error_code(errc::no_quorum);
    out.detail = "no quorum: only " + std::to_string(answers_.size()) + " of " +
                 std::to_string(host_.nodes.size()) + " nodes have answered: " + failures_;
    return out;
}

answer query_task::merged() const {
    answer out;
    if (std::holds_alternative<break_op>(request_)) {
        const bool done = std::any_of(answers_.begin(), answers_.end(), [](const answer& each) {
            return each.status == op_status::released;
        });
        out.status = done ? op_status::released : op_status::not_held;
        return out;
    }
    out.status = op_status::reported;
    report found;
    std::vector<lock_info> infos;
    for (const auto& each : answers_) {
        if (each.report == nullptr) { continue; }
        if (!each.report->text.empty()) {
            found.text += (found.text.empty() ? "" : "\n") + each.report->text;
        }
        if (!each.report->locks.empty()) { infos.push_back(each.report->locks.front()); }
    }
    if (std::holds_alternative<diagnose_op>(request_)) {
        if (!failures_.empty()) { found.text += "\nno answer: " + failures_; }
    } else {
        found.locks.push_back(merge(infos, host_.nodes.size()));
    }
    out.report = std::make_shared<const report>(std::move(found));
    return out;
}

} // namespace holdfast::engine::quorum
