#include "history/report.hpp"

#include "history/line.hpp"
#include "history/timeline.hpp"
#include "history/violation_text.hpp"

#include <algorithm>
#include <sstream>

namespace holdfast::history {
namespace {

std::string label(const event& e) {
    return e.process.empty() ? "pid " + std::to_string(e.pid) : e.process;
}

/// Holds of permits and readers end in any order, so the release before a grant is the last of all.
std::size_t count_hand_offs(const name_line& line) {
    std::vector<stamp> releases;
    for (const auto& h : line.holds) {
        if (h.release != nullptr) { releases.push_back(h.release->at); }
    }
    std::ranges::sort(releases);
    return static_cast<std::size_t>(std::ranges::count_if(line.holds, [&](const hold& h) {
        const auto after = std::ranges::upper_bound(releases, h.grant->at);
        return after != releases.begin() && *std::prev(after) > h.request_event->at;
    }));
}

void add_name(summary& s, const name_line& line) {
    s.requests += line.requests.size();
    s.grants += line.holds.size();
    s.hand_offs += count_hand_offs(line);
    s.breaks += line.breaks.size();
    for (const auto& h : line.holds) {
        ++s.grants_by_process[label(*h.grant)];
        s.losses += h.loss != nullptr ? 1U : 0U;
        const auto wait = h.grant->at - h.request_event->at;
        if (s.longest_waiter.empty() || wait > s.longest_wait) {
            s.longest_wait = wait;
            s.longest_waiter = describe_process(*h.grant);
        }
    }
    for (const auto* w : line.writes) {
        ++(std::get<wrote>(w->type).accepted ? s.writes_accepted : s.writes_refused);
    }
}

} // namespace

summary summarise(const std::vector<event>& events) {
    const auto all = arrange(events);
    summary s{.events = events.size(), .kills = all.kills, .length = all.end - all.begin};
    for (const auto& e : events) {
        // Processes without a grant are listed, too.
        if (std::holds_alternative<requested>(e.type)) { s.grants_by_process[label(e)]; }
        s.given_up += std::holds_alternative<gave_up>(e.type) ? 1U : 0U;
        s.stops += std::holds_alternative<resumed>(e.type) ? 1U : 0U;
    }
    for (const auto& [name, line] : all.names) { add_name(s, line); }
    return s;
}

void print(std::ostream& out, const summary& s) {
    out << s.events << " events in " << milliseconds(s.length) << ": " << s.requests
        << " requests, " << s.grants << " grants, " << s.hand_offs << " hand-offs, " << s.given_up
        << " given up, " << s.losses << " losses, " << s.kills << " kills, " << s.stops
        << " stops, " << s.breaks << " breaks, " << s.writes_accepted << " writes accepted and "
        << s.writes_refused << " refused\n";
    if (!s.grants_by_process.empty()) {
        const auto [least, most] = std::ranges::minmax_element(
            s.grants_by_process, {}, [](const auto& entry) { return entry.second; });
        out << "grants per process: " << least->second << " (" << least->first << ") to "
            << most->second << " (" << most->first << ")\n";
    }
    if (!s.longest_waiter.empty()) {
        out << "longest wait for a grant: " << milliseconds(s.longest_wait) << " by "
            << s.longest_waiter << '\n';
    }
}

void print(std::ostream& out, const std::vector<violation>& violations, std::size_t most) {
    std::map<rule, std::size_t> count;
    for (const auto& v : violations) {
        if (++count[v.broken_rule] > most) { continue; }
        out << to_string(v.broken_rule);
        if (v.promise != 0) { out << " (P" << v.promise << ')'; }
        if (!v.name.empty()) { out << " on " << encoded(v.name); }
        out << ": " << v.sentence << '\n';
        for (const auto& e : v.events) {
            out << "    ";
            if (e.line != 0) { out << "line " << e.line << ": "; }
            out << to_line(e);
        }
    }
    for (const auto& [which, times] : count) {
        out << times << " x " << to_string(which) << (times > most ? ", not all shown" : "")
            << '\n';
    }
}

std::string describe(const std::vector<event>& events, const std::vector<violation>& violations) {
    std::ostringstream out;
    print(out, violations);
    print(out, summarise(events));
    return out.str();
}

} // namespace holdfast::history
