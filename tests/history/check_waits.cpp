// P7: no request waits for ever while the lock is free or is granted to others.

#include "history/rules.hpp"

#include <algorithm>

namespace holdfast::history {
namespace {

/// What is held from an instant on, as the engine sees it.
struct occupancy {
    stamp at{};
    std::int64_t exclusive{0};
    std::int64_t shared{0};
    std::int64_t permits{0};

    [[nodiscard]] bool fits(const requested& r) const {
        switch (r.mode) {
        case mode::exclusive: return exclusive == 0 && shared == 0 && permits == 0;
        case mode::shared: return exclusive == 0;
        case mode::permits: return permits + std::int64_t{r.n} <= std::int64_t{r.limit};
        }
        return false;
    }
};

/// An engine keeps an abandoned hold beyond N, by the drift and margin that a holder subtracts from
/// its lease (P2). It may free the hold of a killed process earlier; then the wait only counts from
/// later on.
stamp engine_frees(const hold& h) {
    if (h.release != nullptr) { return h.release->at; }
    const auto lease = h.request().lease;
    const auto margin =
        std::max<std::chrono::nanoseconds>(std::chrono::milliseconds{50}, lease / 20);
    return later(h.last_valid_until(), lease / 100 + std::chrono::milliseconds{2} + margin);
}

std::vector<occupancy> occupancies(const name_line& line) {
    std::vector<occupancy> changes;
    for (const auto& h : line.holds) {
        const auto change = [&](stamp at, std::int64_t by) {
            occupancy c{.at = at};
            switch (h.request().mode) {
            case mode::exclusive: c.exclusive = by; break;
            case mode::shared: c.shared = by; break;
            case mode::permits: c.permits = by * std::int64_t{h.request().n}; break;
            }
            changes.push_back(c);
        };
        change(h.grant->at, 1);
        change(std::max(h.grant->at, engine_frees(h)), -1);
    }
    std::ranges::stable_sort(changes, {}, &occupancy::at);
    for (std::size_t i = 1; i < changes.size(); ++i) {
        changes[i].exclusive += changes[i - 1].exclusive;
        changes[i].shared += changes[i - 1].shared;
        changes[i].permits += changes[i - 1].permits;
    }
    return changes;
}

/// The first instant from the request on at which it could have been granted, or another was.
stamp first_chance(const name_line& line, const std::vector<occupancy>& changes, const request& r) {
    const auto requested_at = r.request_event->at;
    const auto first = std::ranges::upper_bound(changes, requested_at, {}, &occupancy::at);
    if (first == changes.begin() || std::prev(first)->fits(r.details())) { return requested_at; }

    const auto grant = std::ranges::upper_bound(line.holds, requested_at, {},
                                                [](const hold& h) { return h.grant->at; });
    const stamp passed_on = grant == line.holds.end() ? never : grant->grant->at;
    // Until then holds only end, so a request that fits continues to fit.
    const auto last = std::lower_bound(first, changes.end(), passed_on,
                                       [](const occupancy& c, stamp at) { return c.at < at; });
    const auto fits =
        std::partition_point(first, last, [&](const occupancy& c) { return !c.fits(r.details()); });
    return fits == last ? passed_on : fits->at;
}

std::chrono::nanoseconds stopped_between(const process_line& process, stamp from, stamp to) {
    std::chrono::nanoseconds sum{};
    for (const auto& s : process.stops) {
        const auto length = std::min(s.to, to) - std::max(s.from, from);
        if (length > length.zero()) { sum += length; }
    }
    return sum;
}

} // namespace

void check_waits(const check_context& context) {
    const auto bound = context.options.starvation_bound;
    std::vector<occupancy> changes;
    for (const auto& r : context.line.requests) {
        const stamp until = std::min(r.until, context.all.end);
        if (until - r.request_event->at <= bound) { continue; }
        if (changes.empty()) { changes = occupancies(context.line); }

        const stamp chance = first_chance(context.line, changes, r);
        if (chance >= until) { continue; }
        const auto& process = context.all.process(r.request_event->pid);
        const auto waited = until - chance - stopped_between(process, chance, until);
        if (waited > bound) {
            context.report(rule::starved,
                           "The request of " + describe_process(*r.request_event) +
                               " was left waiting for " + milliseconds(waited) +
                               " after the lock was free or passed on (" + context.when(chance) +
                               ").",
                           {r.request_event});
        }
    }
}

} // namespace holdfast::history
