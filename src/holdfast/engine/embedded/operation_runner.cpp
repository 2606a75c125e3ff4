#include "holdfast/engine/embedded/operation_runner.hpp"

#include "holdfast/engine/admission/list_queue.hpp"
#include "holdfast/engine/admission/request_validation.hpp"
#include "holdfast/engine/embedded/table_queue.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

namespace holdfast::engine::embedded {

namespace {

/// Names that one page of a list looks at, and the longest page.
constexpr unsigned most_listed = 1000;

constexpr std::size_t most_blockers = 8;

answer say(op_status status) {
    answer out;
    out.status = status;
    return out;
}

answer say(report&& found) {
    answer out = say(op_status::reported);
    out.report = std::make_shared<const report>(std::move(found));
    return out;
}

} // namespace

bool only_reads(const op& operation) noexcept {
    return std::holds_alternative<inspect_op>(operation) ||
           std::holds_alternative<list_op>(operation) ||
           std::holds_alternative<diagnose_op>(operation);
}

template <typename Judge>
auto work::judged(const std::string& name, Judge&& judge) {
    row found = on_.find(name);
    if (found.id == 0) { found.state.floor = on_.mark(); }
    table_queue queue{on_, found};
    admission::gate door{found.state, queue, at_, then_.pushes};
    auto said = judge(door);
    if (door.changed()) { on_.put(found, name); }
    note(said, found);
    return said;
}

void work::note(const answer& answer, const row& found) {
    if (answer.status == op_status::granted || answer.status == op_status::queued) {
        then_.used.push_back(found.id);
    }
    note(answer.status, answer.ahead, found);
}

void work::note(op_status status, unsigned ahead, const row& found) {
    if (status != op_status::queued || ahead > 0) { return; }
    for (const admission::hold& hold : found.state.holds) {
        if (then_.blockers.size() == most_blockers) { return; }
        if (!hold.resting(at_.now)) {
            then_.blockers.push_back({hold.owner.client, hold.from.pid});
        }
    }
}

answer work::run(const op& operation, const std::string& path) {
    return std::visit(
        [&](const auto& one) {
            if constexpr (std::is_same_v<std::decay_t<decltype(one)>, diagnose_op>) {
                return diagnose(path);
            } else {
                return run(one);
            }
        },
        operation);
}

answer work::run(const acquire_op& operation) {
    return judged(operation.ticket.name,
                  [&](admission::gate& door) { return door.acquire(operation, from_); });
}

answer work::run(const beat_op& operation) {
    answer answer = say(op_status::renewed);
    answer.beats.reserve(operation.items.size());
    for (const auto& item : operation.items) {
        answer.beats.push_back(
            judged(item.ticket.name, [&](admission::gate& door) { return door.beat(item); }));
    }
    return answer;
}

answer work::run(const release_op& operation) {
    return say(judged(operation.ticket.name,
                      [&](admission::gate& door) { return door.release(operation.ticket.owner); }));
}

answer work::run(const withdraw_op& operation) {
    return say(judged(operation.ticket.name, [&](admission::gate& door) {
        return door.withdraw(operation.ticket.owner);
    }));
}

answer work::run(const break_op& operation) {
    return say(
        judged(operation.name, [&](admission::gate& door) { return door.break_lock(operation); }));
}

/// As it is now, though nothing is written: what has ended is left out of a copy, and whoever would
/// be granted by that is told by the next operation that writes.
lock_info work::look(const std::string& name, row&& found) {
    admission::list_queue queue;
    if (found.state.waiting > 0) {
        for (auto& each : on_.waiters(found.id)) { queue.push(std::move(each.waiter)); }
    }
    std::vector<admission::push> unsent;
    return admission::gate{found.state, queue, at_, unsent}.inspect(name);
}

answer work::run(const inspect_op& operation) {
    report found;
    found.locks.push_back(look(operation.name, on_.find(operation.name)));
    return say(std::move(found));
}

answer work::run(const list_op& operation) {
    report page;
    const auto wanted = std::clamp(operation.count, 1U, most_listed);
    unsigned seen = 0;
    on_.by_name(std::max(operation.prefix, operation.cursor),
                [&](const std::string& name, row&& found) {
                    if (!name.starts_with(operation.prefix)) { return false; }
                    if (seen++ == most_listed || page.locks.size() == wanted) {
                        page.cursor = name;
                        return false;
                    }
                    if (found.state.idle()) { return true; }
                    lock_info lock = look(name, std::move(found));
                    if (!lock.holders.empty() || !lock.waiters.empty()) {
                        page.locks.push_back(std::move(lock));
                    }
                    return true;
                });
    return say(std::move(page));
}

answer work::diagnose(const std::string& path) {
    report found;
    found.text = "embedded: " + path + ", format " + std::to_string(format_version) + ", " +
                 std::to_string(on_.count()) + " names known";
    return say(std::move(found));
}

std::optional<base::instant> work::look_after(std::int64_t id) {
    auto found = on_.find(id);
    if (!found) { return std::nullopt; }
    table_queue queue{on_, *found};
    admission::gate door{found->state, queue, at_, then_.pushes};
    door.tidy();
    if (!admission::is_deletable(found->state, at_.now, at_.wall_us)) {
        if (door.changed()) { on_.put(*found, {}); }
        return admission::look_again(found->state, at_.now, at_.wall_us);
    }
    on_.remove(id);
    ++forgotten_;
    forgotten_token_ = std::max(forgotten_token_, found->state.high_water);
    return std::nullopt;
}

/// In the transaction that forgets them: nobody sees a name without its record and without a mark
/// above its tokens.
void work::raise_mark() {
    if (forgotten_token_ > 0) { on_.raise_mark(forgotten_token_); }
}

} // namespace holdfast::engine::embedded
