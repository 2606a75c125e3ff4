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
    const auto dot = request_.cursor.find('.');
    const auto colon = request_.cursor.find(':');
    if (dot == std::string::npos || colon == std::string::npos || dot > colon) {
        walk_ = host.walks.begin();
        return;
    }
    const char* const text = request_.cursor.data();
    std::from_chars(text, text + dot, walk_);
    std::from_chars(text + dot + 1, text + colon, node_);
    request_.cursor.erase(0, colon + 1);
}

void list_task::start(instant now) { ask_page(now); }

void list_task::ask_page(instant now) {
    if (node_ >= host_.nodes.size()) { return conclude(now); }
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
        reports_[tag - tags::inspection].push_back(answer.report->locks.front());
    }
    if (--missing_ == 0) { conclude(now); }
}

void list_task::inspect_each(const report& names, instant now) {
    next_ = names.cursor;
    if (names.locks.empty()) { return conclude(now); }
    reports_.resize(names.locks.size());
    missing_ = static_cast<unsigned>(reports_.size()) * host_.nodes.size();
    for (unsigned at = 0; at < reports_.size(); ++at) {
        const op each = inspect_op{names.locks[at].name, request_.format};
        for (unsigned node = 0; node < host_.nodes.size(); ++node) {
            host_.ask(*this, node, tags::inspection + at, each, give_up(), now);
        }
    }
}

void list_task::on_give_up(instant /*now*/) { fail("no answer in time"); }

void list_task::conclude(instant now) {
    report found;
    for (const auto& reports : reports_) {
        auto merged = merge(reports, host_.nodes.size());
        if (merged.holders.empty() || !host_.walks.add(walk_, merged.name)) { continue; }
        found.locks.push_back(std::move(merged));
    }
    const auto walk = std::to_string(walk_) + '.';
    if (!next_.empty()) {
        found.cursor = walk + std::to_string(node_) + ':' + next_;
    } else if (node_ + 1 < host_.nodes.size()) {
        found.cursor = walk + std::to_string(node_ + 1) + ':';
    } else {
        host_.walks.end(walk_);
    }
    if (found.locks.empty() && !found.cursor.empty()) { return ask_next_page(now); }
    answer out;
    out.status = op_status::reported;
    out.report = std::make_shared<const report>(std::move(found));
    host_.complete(*this, std::move(out));
}

/// An empty page looks like the end of a list to a person.
void list_task::ask_next_page(instant now) {
    reports_.clear();
    if (next_.empty()) { ++node_; }
    request_.cursor = std::exchange(next_, {});
    ask_page(now);
}

void list_task::fail(const std::string& detail) {
    answer out;
    out.status = op_status::failed;
    out.error = make_error_code(errc::no_quorum);
    out.detail = "no quorum: " + detail;
    host_.complete(*this, std::move(out));
}

} // namespace holdfast::engine::quorum
