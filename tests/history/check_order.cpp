// P6: on engines that state `fifo`, nobody is served before another who has long been waiting.

#include "history/rules.hpp"

#include <algorithm>
#include <set>

namespace holdfast::history {
namespace {

/// A stopped waiter may be passed over. A killed one left the queue when it was killed.
bool can_be_overtaken(const inquiry& about, const request& r) {
    const auto& stops = about.all.process(r.asked->pid).stops;
    return std::ranges::none_of(
        stops, [&](const auto& s) { return s.from < r.until && s.to > r.asked->at; });
}

/// Whether an engine had already granted `r`, which recorded that later than `h`: a lower token
/// shows it.
bool served_before(const inquiry& about, const request& r, const hold& h) {
    if (r.held == request::no_hold) { return false; }
    const auto& held = about.line.holds[r.held];
    return held.request().mode == mode::exclusive && h.request().mode == mode::exclusive &&
           held.token() < h.token();
}

} // namespace

void check_order(const inquiry& about) {
    const auto tolerance = about.options.fifo_tolerance;
    const auto& requests = about.line.requests;
    std::set<std::size_t> waiting; // indices, so in order of the requests
    std::multimap<stamp, std::size_t> leaving;
    std::size_t next = 0;

    for (const auto& h : about.line.holds) {
        const stamp at = h.grant->at;
        for (; next < requests.size() && requests[next].asked->at < h.asked->at - tolerance;
             ++next) {
            if (!can_be_overtaken(about, requests[next])) { continue; }
            waiting.insert(next);
            leaving.emplace(std::min(requests[next].until, about.all.end), next);
        }
        // Who leaves the queue at about this time may have left it just before.
        while (!leaving.empty() && leaving.begin()->first <= at + tolerance) {
            waiting.erase(leaving.begin()->second);
            leaving.erase(leaving.begin());
        }
        const auto first = std::ranges::find_if(
            waiting, [&](std::size_t i) { return !served_before(about, requests[i], h); });
        if (first == waiting.end()) { continue; }
        const auto& passed = requests[*first];
        if (passed.asked->at >= h.asked->at - tolerance) { continue; }
        about.report(rule::overtaken,
                     inquiry::holder(h) + " was served " + about.when(at) + ", though " +
                         who(*passed.asked) + " had asked " +
                         milliseconds(h.asked->at - passed.asked->at) +
                         " before it and was still waiting.",
                     {passed.asked, h.asked, h.grant});
    }
}

} // namespace holdfast::history
