#include "holdfast/engine/embedded/operation_runner.hpp"

#include "holdfast/engine/admission/cell_rule.hpp"
#include "holdfast/engine/admission/list_queue.hpp"
#include "holdfast/engine/admission/request_validation.hpp"
#include "holdfast/engine/embedded/table_queue.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

namespace holdfast::engine::embedded {

namespace {

/// How many names one page of a list reads, and the longest page.
constexpr unsigned max_listed = 1000;

constexpr std::size_t max_blockers = 8;

answer make_answer(op_status status) {
    answer out;
    out.status = status;
    return out;
}

answer make_answer(report&& found) {
    answer out = make_answer(op_status::reported);
    out.report = std::make_shared<const report>(std::move(found));
    return out;
}

} // namespace

bool only_reads(const op& operation) noexcept {
    return std::holds_alternative<inspect_op>(operation) ||
           std::holds_alternative<list_op>(operation) ||
           std::holds_alternative<diagnose_op>(operation) ||
           std::holds_alternative<join_op>(operation);
}

template <typename Act>
auto operation_runner::apply_rule(const std::string& name, Act&& act) {
    row found = tables_.find(name);
    raise_to_mark(found);
    table_queue queue{tables_, found};
    admission::admission_rule rule{found.state, queue, at_, post_commit_.pushes};
    auto result = act(rule);
    if (rule.changed()) { store(found, name); }
    note(result, found);
    return result;
}

/// Tokens of a name without a token of its own, which a limit can be set for, rise from the mark.
void operation_runner::raise_to_mark(row& found) {
    if (found.id == 0 || found.state.high_water == 0) { found.state.floor = tables_.mark(); }
}

void operation_runner::store(row& found, const std::string& name) {
    const bool is_new = found.id == 0;
    tables_.put(found, name);
    if (is_new) { post_commit_.used_rows.push_back(found.id); }
}

void operation_runner::note(const answer& answer, const row& found) {
    const bool has_place =
        answer.status == op_status::granted || answer.status == op_status::queued;
    if (has_place && found.id != 0) { post_commit_.used_rows.push_back(found.id); }
    note(answer.status, answer.ahead, found);
}

void operation_runner::note(op_status status, unsigned ahead, const row& found) {
    if (status != op_status::queued || ahead > 0) { return; }
    for (const admission::hold_record& hold : found.state.holds) {
        if (post_commit_.blockers.size() == max_blockers) { return; }
        if (!hold.resting(at_.now)) {
            post_commit_.blockers.push_back({hold.owner.client, hold.process.pid});
        }
    }
}

answer operation_runner::run(const op& operation, const store_identity& store) {
    return std::visit(
        [&](const auto& op) {
            using op_type = std::decay_t<decltype(op)>;
            if constexpr (std::is_same_v<op_type, diagnose_op>) {
                return diagnose(store.path);
            } else if constexpr (std::is_same_v<op_type, join_op>) {
                report found;
                found.node_id = store.node_id;
                return make_answer(std::move(found));
            } else if constexpr (std::is_same_v<op_type, acquire_op>) {
                const bool other = op.node_id != 0 && op.node_id != store.node_id;
                return other ? make_answer(op_status::not_joined) : run(op);
            } else {
                return run(op);
            }
        },
        operation);
}

answer operation_runner::run(const acquire_op& operation) {
    return apply_rule(operation.ticket.name, [&](admission::admission_rule& rule) {
        return rule.acquire(operation, process_);
    });
}

answer operation_runner::run(const beat_op& operation) {
    answer answer = make_answer(op_status::renewed);
    answer.beats.reserve(operation.items.size());
    for (const auto& item : operation.items) {
        answer.beats.push_back(apply_rule(item.ticket.name, [&](admission::admission_rule& rule) {
            return rule.beat(item, process_);
        }));
    }
    return answer;
}

answer operation_runner::run(const release_op& operation) {
    return make_answer(apply_rule(operation.ticket.name, [&](admission::admission_rule& rule) {
        return rule.release(operation);
    }));
}

answer operation_runner::run(const withdraw_op& operation) {
    return make_answer(apply_rule(operation.ticket.name, [&](admission::admission_rule& rule) {
        return rule.withdraw(operation);
    }));
}

answer operation_runner::run(const downgrade_op& operation) {
    return apply_rule(operation.ticket.name,
                      [&](admission::admission_rule& rule) { return rule.downgrade(operation); });
}

answer operation_runner::run(const resize_op& operation) {
    return apply_rule(operation.ticket.name,
                      [&](admission::admission_rule& rule) { return rule.resize(operation); });
}

answer operation_runner::run(const break_op& operation) {
    return make_answer(apply_rule(operation.name, [&](admission::admission_rule& rule) {
        return rule.break_lock(operation);
    }));
}

/// Reads each row once: first all names are checked, then all are granted.
answer operation_runner::run(const acquire_set_op& operation) {
    std::vector<row> rows;
    rows.reserve(operation.items.size()); // a rule refers to its row
    std::vector<table_queue> queues;
    queues.reserve(operation.items.size());
    std::vector<admission::admission_rule> rules;
    rules.reserve(operation.items.size());
    std::optional<answer> refused;
    for (const acquire_op& item : operation.items) {
        row& found = rows.emplace_back(tables_.find(item.ticket.name));
        raise_to_mark(found);
        auto& queue = queues.emplace_back(tables_, found);
        auto& rule = rules.emplace_back(found.state, queue, at_, post_commit_.pushes);
        refused = rule.refuse(item);
        if (refused) { break; }
    }
    answer out = refused ? std::move(*refused) : make_answer(op_status::granted);
    for (std::size_t at = 0; at < rules.size(); ++at) {
        const acquire_op& item = operation.items[at];
        if (!refused) {
            const answer part = rules[at].acquire_unrefused(item, process_);
            out.parts.push_back({part.status, part.token});
            note(part, rows[at]);
        }
        if (rules[at].changed()) { store(rows[at], item.ticket.name); }
    }
    return out;
}

answer operation_runner::run(const release_set_op& operation) {
    answer out = make_answer(op_status::released);
    out.parts.reserve(operation.items.size());
    for (const release_op& item : operation.items) {
        out.parts.push_back({apply_rule(item.ticket.name, [&](admission::admission_rule& rule) {
            return rule.release(item);
        })});
    }
    return out;
}

/// Writes nothing, so it grants nothing: after a hold has ended by itself nobody holds the name
/// until the next operation that writes, e.g. a waiter's heartbeat, grants the first waiter.
lock_info operation_runner::describe(const std::string& name, row&& found) {
    admission::list_queue queue;
    if (found.state.waiting > 0) {
        for (auto& each : tables_.waiters(found.id)) { queue.push(std::move(each.waiter)); }
    }
    std::vector<admission::push> unsent;
    return admission::admission_rule{found.state, queue, at_, unsent}.inspect_copy(name);
}

answer operation_runner::run(const inspect_op& operation) {
    report found;
    found.locks.push_back(describe(operation.name, tables_.find(operation.name)));
    return make_answer(std::move(found));
}

answer operation_runner::run(const list_op& operation) {
    report page;
    const auto wanted = std::clamp(operation.count, 1U, max_listed);
    unsigned seen = 0;
    tables_.visit_names(std::max(operation.prefix, operation.cursor),
                        [&](const std::string& name, row&& found) {
                            if (!name.starts_with(operation.prefix)) { return false; }
                            if (seen++ == max_listed || page.locks.size() == wanted) {
                                page.cursor = name;
                                return false;
                            }
                            if (found.state.idle()) { return true; }
                            lock_info lock = describe(name, std::move(found));
                            if (!lock.holders.empty() || !lock.waiters.empty()) {
                                page.locks.push_back(std::move(lock));
                            }
                            return true;
                        });
    return make_answer(std::move(page));
}

answer operation_runner::run(const cell_op& operation) {
    auto& cells = tables_.cells();
    const auto& name = operation.ticket.name;
    cells.prepare(at_.wall_us);
    auto cell = cells.find(name);
    admission::cell_rule rule{cell, at_, post_commit_.pushes};
    auto out = rule.apply(operation);
    const bool reads = operation.action == cell_op::action_kind::read && !operation.watches;
    if (rule.is_deletable()) {
        cells.remove(name);
    } else if (out.status == op_status::reported && !reads) {
        cells.put(name, cell, at_.wall_us);
    }
    return out;
}

answer operation_runner::diagnose(const std::string& path) {
    report found;
    found.text = "embedded: " + path + ", format " + std::to_string(format_version) + ", " +
                 std::to_string(tables_.count()) + " names known";
    return make_answer(std::move(found));
}

std::optional<base::instant> operation_runner::delete_if_idle(std::int64_t id) {
    auto found = tables_.find(id);
    if (!found) { return std::nullopt; }
    table_queue queue{tables_, *found};
    admission::admission_rule rule{found->state, queue, at_, post_commit_.pushes};
    rule.tidy();
    if (!admission::is_deletable(found->state, at_.now, at_.wall_us)) {
        if (rule.changed()) { tables_.put(*found, {}); }
        return admission::next_idle_check(found->state, at_.now, at_.wall_us);
    }
    tables_.remove(id);
    ++deleted_;
    highest_deleted_token_ = std::max(highest_deleted_token_, found->state.high_water);
    return std::nullopt;
}

/// In the transaction that deletes the rows: nobody sees a name without a row and without a mark
/// above its tokens.
void operation_runner::raise_mark() {
    if (highest_deleted_token_ > 0) { tables_.raise_mark(highest_deleted_token_); }
}

} // namespace holdfast::engine::embedded
