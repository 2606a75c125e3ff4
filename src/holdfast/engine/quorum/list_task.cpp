#include "holdfast/engine/quorum/list_task.hpp"

#include "holdfast/engine/quorum/report_merge.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace holdfast::engine::quorum {

using base::instant;

list_task::list_task(task_host& host, op_id id, const list_op& op, instant give_up)
    : task{id, give_up}, host_{host}, request_{op} {
    const auto colon = request_.cursor.find(':');
    if (colon == std::string::npos) { return; }
    std::from_chars(request_.cursor.data(), request_.cursor.data() + colon, node_);
    request_.cursor.erase(0, colon + 1);
}

void list_task::start(instant now) { ask_page(now); }

void list_task::ask_page(instant now) {
    if (node_ >= host_.nodes.size()) { return conclude(); }
    host_.ask(*this, node_, tags::page, request_, give_up(), now);
}

void list_task::on_answer(unsigned node, unsigned tag, answer& answer, instant now) {
    if (!is_open()) { return; }
    const bool reported = answer.status == op_status::reported && answer.report;
    if (tag == tags::page) {
        if (reported) { return inspect_each(*answer.report, now); }
        // The names of a majority are on other nodes as well, but not if too many are missing.
        if (++silent_ > host_.nodes.size() - majority_of(host_.nodes.size())) {
            return fail(host_.nodes.label(node) + ": " + answer.detail);
        }
        ++node_;
        request_.cursor.clear();
        return ask_page(now);
    }
    if (reported && !answer.report->locks.empty()) {
        const auto& info = answer.report->locks.front();
        auto& entry = entries_[tag - tags::inspection];
        entry.reports.push_back(info);
        if (!info.holders.empty()) { entry.first = std::min(entry.first, node); }
    }
    if (--missing_ == 0) { conclude(); }
}

void list_task::inspect_each(const report& names, instant now) {
    next_ = names.cursor;
    if (names.locks.empty()) { return conclude(); }
    entries_.resize(names.locks.size());
    missing_ = static_cast<unsigned>(entries_.size()) * host_.nodes.size();
    for (unsigned at = 0; at < entries_.size(); ++at) {
        const op each = inspect_op{names.locks[at].name, request_.format};
        for (unsigned node = 0; node < host_.nodes.size(); ++node) {
            host_.ask(*this, node, tags::inspection + at, each, give_up(), now);
        }
    }
}

void list_task::on_give_up(instant /*now*/) { fail("no answer in time"); }

void list_task::conclude() {
    report found;
    for (const auto& entry : entries_) {
        if (entry.first != node_) { continue; } // listed with another node, or held by nobody
        auto merged = merge(entry.reports, host_.nodes.size());
        if (!merged.holders.empty()) { found.locks.push_back(std::move(merged)); }
    }
    if (!next_.empty()) {
        found.cursor = std::to_string(node_) + ':' + next_;
    } else if (node_ + 1 < host_.nodes.size()) {
        found.cursor = std::to_string(node_ + 1) + ':';
    }
    answer out;
    out.status = op_status::reported;
    out.report = std::make_shared<const report>(std::move(found));
    host_.complete(*this, std::move(out));
}

void list_task::fail(const std::string& detail) {
    answer out;
    out.status = op_status::failed;
    out.error = make_error_code(errc::no_quorum);
    out.detail = "no quorum: " + detail;
    host_.complete(*this, std::move(out));
}

} // namespace holdfast::engine::quorum
