// P6: on engines with `fifo`, no request is granted before one that has waited clearly longer.

#include "history/rules.hpp"

#include <algorithm>
#include <set>

namespace holdfast::history {
namespace {

/// A stopped waiter may be passed over. A killed one left the queue when it was killed.
bool can_be_overtaken(const check_context& context, const request& r) {
    const auto& stops = context.all.process(r.request_event->pid).stops;
    return std::ranges::none_of(
        stops, [&](const auto& s) { return s.from < r.until && s.to > r.request_event->at; });
}

/// Whether an engine had already granted `r`, which recorded that later than `h`: a lower token
/// shows it.
bool served_before(const check_context& context, const request& r, const hold& h) {
    if (r.held == request::no_hold) { return false; }
    const auto& held = context.line.holds[r.held];
    return held.request().mode == mode::exclusive && h.request().mode == mode::exclusive &&
           held.token() < h.token();
}

} // namespace

void check_order(const check_context& context) {
    const auto tolerance = context.options.fifo_tolerance;
    const auto& requests = context.line.requests;
    std::set<std::size_t> waiting; // indices, so in order of the requests
    std::multimap<stamp, std::size_t> leaving;
    std::size_t next = 0;

    for (const auto& h : context.line.holds) {
        const stamp at = h.grant->at;
        for (; next < requests.size() &&
               requests[next].request_event->at < h.request_event->at - tolerance;
             ++next) {
            if (!can_be_overtaken(context, requests[next])) { continue; }
            waiting.insert(next);
            leaving.emplace(std::min(requests[next].until, context.all.end), next);
        }
        // A request that leaves the queue at about this time may have left it just before.
        while (!leaving.empty() && leaving.begin()->first <= at + tolerance) {
            waiting.erase(leaving.begin()->second);
            leaving.erase(leaving.begin());
        }
        const auto first = std::ranges::find_if(
            waiting, [&](std::size_t i) { return !served_before(context, requests[i], h); });
        if (first == waiting.end()) { continue; }
        const auto& passed = requests[*first];
        if (passed.request_event->at >= h.request_event->at - tolerance) { continue; }
        context.report(rule::overtaken,
                       check_context::holder(h) + " was granted the lock " + context.when(at) +
                           ", though " + describe_process(*passed.request_event) +
                           " had requested it " +
                           milliseconds(h.request_event->at - passed.request_event->at) +
                           " before it and was still waiting.",
                       {passed.request_event, h.request_event, h.grant});
    }
}

} // namespace holdfast::history
