#include "holdfast/engine/embedded/work.hpp"

#include "holdfast/engine/admission/list_queue.hpp"
#include "holdfast/engine/admission/request.hpp"
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

answer say(fate what) {
    answer out;
    out.what = what;
    return out;
}

answer say(report&& found) {
    answer out = say(fate::reported);
    out.report = std::make_shared<const report>(std::move(found));
    return out;
}

} // namespace

bool only_reads(const op& what) noexcept {
    return std::holds_alternative<inspect_op>(what) || std::holds_alternative<list_op>(what) ||
           std::holds_alternative<diagnose_op>(what);
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

void work::note(const answer& said, const row& found) {
    if (said.what == fate::granted || said.what == fate::queued) { then_.used.push_back(found.id); }
    note(said.what, said.ahead, found);
}

void work::note(fate what, unsigned ahead, const row& found) {
    if (what != fate::queued || ahead > 0) { return; }
    for (const admission::hold& one : found.state.holds) {
        if (then_.blockers.size() == most_blockers) { return; }
        if (!one.resting(at_.now)) { then_.blockers.push_back({one.owner.client, one.from.pid}); }
    }
}

answer work::run(const op& what, const std::string& path) {
    return std::visit(
        [&](const auto& one) {
            if constexpr (std::is_same_v<std::decay_t<decltype(one)>, diagnose_op>) {
                return diagnose(path);
            } else {
                return run(one);
            }
        },
        what);
}

answer work::run(const acquire_op& what) {
    return judged(what.who.name, [&](admission::gate& door) { return door.acquire(what, from_); });
}

answer work::run(const beat_op& what) {
    answer said = say(fate::renewed);
    said.beats.reserve(what.items.size());
    for (const auto& item : what.items) {
        said.beats.push_back(
            judged(item.who.name, [&](admission::gate& door) { return door.beat(item); }));
    }
    return said;
}

answer work::run(const release_op& what) {
    return say(
        judged(what.who.name, [&](admission::gate& door) { return door.release(what.who.owner); }));
}

answer work::run(const withdraw_op& what) {
    return say(judged(what.who.name,
                      [&](admission::gate& door) { return door.withdraw(what.who.owner); }));
}

answer work::run(const break_op& what) {
    return say(judged(what.name, [&](admission::gate& door) { return door.take_away(what); }));
}

/// As it is now, though nothing is written: what has ended is left out of a copy, and whoever would
/// be granted by that is told by the next operation that writes.
lock_info work::look(const std::string& name, row&& found) {
    admission::list_queue queue;
    if (found.state.waiting > 0) {
        for (auto& each : on_.waiters(found.id)) { queue.push(std::move(each.who)); }
    }
    std::vector<admission::push> unsent;
    return admission::gate{found.state, queue, at_, unsent}.inspect(name);
}

answer work::run(const inspect_op& what) {
    report found;
    found.locks.push_back(look(what.name, on_.find(what.name)));
    return say(std::move(found));
}

answer work::run(const list_op& what) {
    report page;
    const auto wanted = std::clamp(what.count, 1U, most_listed);
    unsigned seen = 0;
    on_.by_name(std::max(what.prefix, what.cursor), [&](const std::string& name, row&& found) {
        if (!name.starts_with(what.prefix)) { return false; }
        if (seen++ == most_listed || page.locks.size() == wanted) {
            page.cursor = name;
            return false;
        }
        if (found.state.idle()) { return true; }
        lock_info one = look(name, std::move(found));
        if (!one.holders.empty() || !one.waiters.empty()) { page.locks.push_back(std::move(one)); }
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
    if (!admission::forgettable(found->state, at_.now, at_.wall_us)) {
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
