// P3 and P1 as a store sees them: stale writes, lost updates.
//
// A write reached the store somewhere between `begun` and its stamp, so one write is before another
// only if it was answered before the other was begun.

#include "history/rules.hpp"

#include <algorithm>
#include <map>

namespace holdfast::history {
namespace {

const wrote& write_of(const event* e) { return std::get<wrote>(e->type); }
stamp begin_of(const event* e) { return begun_at(*e, write_of(e)); }

std::vector<const event*> accepted(const std::vector<const event*>& writes) {
    std::vector<const event*> result;
    std::ranges::copy_if(writes, std::back_inserter(result),
                         [](const event* e) { return write_of(e).accepted; });
    return result;
}

std::string describe_write(const event* e) {
    return "a write of " + describe_process(*e) + " with token " +
           std::to_string(write_of(e).token);
}

std::string describe_value(const event* e) {
    return describe_process(*e) + " wrote " + std::to_string(write_of(e).value.value_or(0));
}

/// Writes whose lease ended before they were done, because the holder had not noticed the loss yet:
/// nothing guards a counter from them.
std::vector<const event*> writes_after_loss(const name_line& line,
                                            const std::vector<const event*>& writes) {
    std::map<std::pair<std::string, std::uint64_t>, const hold*> holds;
    for (const auto& h : line.holds) { holds[{h.given().owner, h.token()}] = &h; }
    std::vector<const event*> result;
    std::ranges::copy_if(writes, std::back_inserter(result), [&](const event* e) {
        const auto found = holds.find({write_of(e).owner, write_of(e).token});
        return found != holds.end() &&
               std::ranges::none_of(found->second->valid, [&](const time_span& valid) {
                   return valid.from <= begin_of(e) && e->at <= valid.to;
               });
    });
    return result;
}

} // namespace

void check_writes(const check_context& context) {
    const auto by_end = accepted(context.line.writes); // in order of their stamps already
    auto by_begin = by_end;
    std::ranges::stable_sort(by_begin, {}, begin_of);

    const event* highest = nullptr;
    std::size_t ended = 0;
    for (const auto* w : by_begin) {
        for (; ended < by_end.size() && by_end[ended]->at < begin_of(w); ++ended) {
            const auto* earlier = by_end[ended];
            if (highest == nullptr || write_of(earlier).token > write_of(highest).token) {
                highest = earlier;
            }
        }
        if (highest != nullptr && write_of(w).token < write_of(highest).token) {
            context.report(rule::stale_write,
                           "The store accepted " + describe_write(w) + " after " +
                               describe_write(highest) + ".",
                           {highest, w});
        }
    }
}

void check_counter(const check_context& context) {
    auto writes = accepted(context.line.writes);
    std::erase_if(writes, [](const event* e) { return !write_of(e).value; });
    std::ranges::stable_sort(writes, {}, [](const event* e) { return *write_of(e).value; });

    const auto stray = writes_after_loss(context.line, writes);
    const auto proves = [&](const event* first, const event* second) {
        const auto from = std::min(begin_of(first), begin_of(second));
        const auto to = std::max(first->at, second->at);
        return std::ranges::none_of(
            stray, [&](const event* e) { return begin_of(e) <= to && from <= e->at; });
    };
    auto unrecorded = static_cast<std::int64_t>(context.all.kills);
    for (std::size_t i = 1; i < writes.size(); ++i) {
        const auto* last = writes[i - 1];
        const auto* next = writes[i];
        const auto step = *write_of(next).value - *write_of(last).value;
        if (step == 0) {
            if (!proves(last, next)) { continue; }
            context.report(rule::lost_update,
                           describe_value(last) + ", and so did " + describe_process(*next) +
                               ": one was lost.",
                           {last, next});
        } else if (next->at < begin_of(last)) {
            if (!proves(last, next)) { continue; }
            context.report(rule::lost_update,
                           describe_value(next) + " before " + describe_value(last) +
                               ": the counter fell.",
                           {last, next});
        } else if (step - 1 > unrecorded) {
            context.report(rule::lost_update,
                           describe_value(last) + ", then " + describe_value(next) +
                               ": more than killed writers can account for.",
                           {last, next});
        } else {
            unrecorded -= step - 1;
        }
    }
}

} // namespace holdfast::history
