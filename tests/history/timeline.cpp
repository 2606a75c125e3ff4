#include "history/timeline.hpp"

#include "history/violation_text.hpp"

#include <algorithm>

namespace holdfast::history {
namespace {

/// Takes the events in order of their stamps and assigns them to requests and holds.
class event_arranger {
public:
    explicit event_arranger(timeline& out) : out_{out} {}

    void add(const event& e) {
        std::visit([&](const auto& details) { add(e, details); }, e.type);
    }

private:
    struct open_ends {
        std::size_t request{request::no_hold};
        std::size_t hold{request::no_hold};
    };

    template <class EventType>
    name_line& line_of(const EventType& details) {
        auto& line = out_.names[details.name];
        if (line.name.empty()) { line.name = details.name; }
        return line;
    }

    template <class EventType>
    open_ends& ends_of(const EventType& details) {
        // The length keeps (name, owner) apart from every other pair that reads the same together.
        return open_[std::to_string(details.name.size()) + ':' + details.name + details.owner];
    }

    void report_incoherent(const event& e, const std::string& name, std::string_view text) {
        out_.incoherent.push_back(make_violation(
            rule::incoherent, name, describe_process(e) + " " + std::string{text}, {&e}));
    }

    /// The hold that the event belongs to; null, and a violation, if there is none.
    template <class EventType>
    hold* hold_of(const event& e, const EventType& details) {
        const auto ends = ends_of(details);
        if (ends.hold == request::no_hold) {
            report_incoherent(e, details.name,
                              "recorded '" + std::string{EventType::word} +
                                  "' for a hold it never had");
            return nullptr;
        }
        return &line_of(details).holds[ends.hold];
    }

    void add(const event& e, const requested& details) {
        auto& line = line_of(details);
        auto& ends = ends_of(details);
        if (ends.request != request::no_hold) {
            report_incoherent(e, details.name, "sent a request while its owner still waited");
        }
        ends.request = line.requests.size();
        line.requests.push_back({.request_event = &e});
    }

    void add(const event& e, const granted& details) {
        auto& line = line_of(details);
        auto& ends = ends_of(details);
        if (ends.request == request::no_hold) {
            report_incoherent(e, details.name, "was granted details it had not asked for");
            return;
        }
        auto& request = line.requests[ends.request];
        request.until = e.at;
        request.held = line.holds.size();
        ends = {.hold = line.holds.size()};
        line.holds.push_back({.request_event = request.request_event, .grant = &e});
    }

    void add(const event& e, const gave_up& details) {
        auto& ends = ends_of(details);
        if (ends.request == request::no_hold) {
            report_incoherent(e, details.name, "gave up details it was not asking for");
            return;
        }
        line_of(details).requests[ends.request].until = e.at;
        ends.request = request::no_hold;
    }

    void add(const event& e, const renewed& details) {
        if (auto* h = hold_of(e, details)) { h->renewals.push_back(&e); }
    }

    void add(const event& e, const released& details) {
        auto* h = hold_of(e, details);
        if (h == nullptr) { return; }
        if (h->release != nullptr) {
            report_incoherent(e, details.name, "released the same hold twice");
        }
        if (h->release == nullptr) { h->release = &e; }
    }

    void add(const event& e, const lost& details) {
        auto* h = hold_of(e, details);
        if (h == nullptr) { return; }
        if (h->loss != nullptr) { report_incoherent(e, details.name, "lost the same hold twice"); }
        if (h->loss == nullptr) { h->loss = &e; }
    }

    void add(const event& e, const wrote& details) { line_of(details).writes.push_back(&e); }
    void add(const event& e, const broken& details) { line_of(details).breaks.push_back(&e); }

    void add(const event& e, const resumed& details) {
        if (details.to < details.from) {
            report_incoherent(e, "", "recorded a stop that ended before it began");
        }
        out_.processes[details.victim].stops.push_back({details.from, details.to});
    }

    void add(const event& e, const killed& details) {
        out_.processes[details.victim].kills.push_back(&e);
        ++out_.kills;
    }

    timeline& out_;
    std::unordered_map<std::string, open_ends> open_{};
};

/// A hold is broken by the first break that is answered after its grant. An exclusive hold is also
/// broken by a break that is answered while its request waits and names a token at least as high:
/// then the grant was made before the break and recorded late. (Later readers may carry the same
/// token.)
void note_breaks(name_line& line) {
    for (auto& h : line.holds) {
        auto b = std::ranges::lower_bound(line.breaks, h.request_event->at, {},
                                          [](const event* e) { return e->at; });
        for (; b != line.breaks.end() && h.broken_from == never; ++b) {
            const auto& details = std::get<broken>((*b)->type);
            const bool by_token = h.request().mode == mode::exclusive && details.token != 0 &&
                                  h.token() <= details.token;
            if (by_token || (*b)->at >= h.grant->at) { h.broken_from = sent_at(**b, details); }
        }
    }
}

/// A lease is valid until the N its holder knew last, so each renewal ends one stretch and begins
/// another. A stretch that begins after the one before ran out is a revival, and shows as a gap.
void find_valid(hold& h) {
    stamp end = std::min(h.died, h.broken_from);
    if (h.release != nullptr) { end = std::min(end, h.release->at); }
    if (h.loss != nullptr) { end = std::min(end, fired_at(*h.loss, std::get<lost>(h.loss->type))); }
    const auto add = [&](stamp from, stamp to) {
        to = std::min(to, end);
        if (from >= to) { return; }
        if (!h.valid.empty() && h.valid.back().to == from) {
            h.valid.back().to = to;
        } else {
            h.valid.push_back({from, to});
        }
    };
    stamp from = h.grant->at;
    stamp until = h.given().valid_until;
    for (const auto* r : h.renewals) {
        add(from, std::min(until, r->at));
        from = r->at;
        until = std::get<renewed>(r->type).valid_until;
    }
    add(from, until);
}

void finish(timeline& out) {
    for (auto& [pid, process] : out.processes) {
        std::ranges::sort(process.stops, {}, &time_span::from);
    }
    for (auto& [name, line] : out.names) {
        for (auto& r : line.requests) {
            const auto death = out.process(r.request_event->pid).death_after(r.request_event->at);
            r.until = std::min(r.until, std::max(death, r.request_event->at));
        }
        note_breaks(line);
        for (auto& h : line.holds) {
            h.died = out.process(h.grant->pid).death_after(h.grant->at);
            find_valid(h);
        }
    }
}

} // namespace

stamp hold::last_valid_until() const {
    return renewals.empty() ? given().valid_until
                            : std::get<renewed>(renewals.back()->type).valid_until;
}

stamp process_line::death_after(stamp since) const {
    // A pid may be used again: the kill that counts is the first one recorded later.
    const auto k = std::ranges::lower_bound(kills, since, {}, [](const event* e) { return e->at; });
    return k == kills.end() ? never : sent_at(**k, std::get<killed>((*k)->type));
}

const process_line& timeline::process(int pid) const {
    static const process_line untouched{};
    const auto found = processes.find(pid);
    return found == processes.end() ? untouched : found->second;
}

timeline arrange(const std::vector<event>& events) {
    std::vector<const event*> order;
    order.reserve(events.size());
    for (const auto& e : events) { order.push_back(&e); }
    // Stable: details one process records in one nanosecond stays in the order of the file.
    std::ranges::stable_sort(order, {}, [](const event* e) { return e->at; });

    timeline result;
    if (!order.empty()) {
        result.begin = order.front()->at;
        result.end = order.back()->at;
    }
    event_arranger arranger{result};
    for (const auto* e : order) { arranger.add(*e); }
    finish(result);
    return result;
}

} // namespace holdfast::history
