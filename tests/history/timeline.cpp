#include "history/timeline.hpp"

#include "history/tell.hpp"

#include <algorithm>

namespace holdfast::history {
namespace {

/// Walks the events in order of their stamps and ties those of one hold together.
class arranger {
public:
    explicit arranger(timeline& out) : out_{out} {}

    void take(const event& e) {
        std::visit([&](const auto& what) { take(e, what); }, e.type);
    }

private:
    struct open_ends {
        std::size_t request{request::no_hold};
        std::size_t hold{request::no_hold};
    };

    template <class Happening>
    name_line& line_of(const Happening& kind) {
        auto& line = out_.names[kind.name];
        if (line.name.empty()) { line.name = kind.name; }
        return line;
    }

    template <class Happening>
    open_ends& ends_of(const Happening& kind) {
        // The length keeps (name, owner) apart from every other pair that reads the same together.
        return open_[std::to_string(kind.name.size()) + ':' + kind.name + kind.owner];
    }

    void complain(const event& e, const std::string& name, std::string_view why) {
        out_.incoherent.push_back(
            make_violation(rule::incoherent, name, who(e) + " " + std::string{why}, {&e}));
    }

    /// The hold that an event of its holder is about; null and a complaint if there is none.
    template <class Happening>
    hold* hold_of(const event& e, const Happening& kind) {
        const auto ends = ends_of(kind);
        if (ends.hold == request::no_hold) {
            complain(e, kind.name,
                     "recorded '" + std::string{Happening::word} + "' for a hold it never had");
            return nullptr;
        }
        return &line_of(kind).holds[ends.hold];
    }

    void take(const event& e, const requested& what) {
        auto& line = line_of(what);
        auto& ends = ends_of(what);
        if (ends.request != request::no_hold) {
            complain(e, what.name, "asked again while its owner was still asking");
        }
        ends.request = line.requests.size();
        line.requests.push_back({.asked = &e});
    }

    void take(const event& e, const granted& what) {
        auto& line = line_of(what);
        auto& ends = ends_of(what);
        if (ends.request == request::no_hold) {
            complain(e, what.name, "was granted what it had not asked for");
            return;
        }
        auto& asked = line.requests[ends.request];
        asked.until = e.at;
        asked.held = line.holds.size();
        ends = {.hold = line.holds.size()};
        line.holds.push_back({.asked = asked.asked, .grant = &e});
    }

    void take(const event& e, const gave_up& what) {
        auto& ends = ends_of(what);
        if (ends.request == request::no_hold) {
            complain(e, what.name, "gave up what it was not asking for");
            return;
        }
        line_of(what).requests[ends.request].until = e.at;
        ends.request = request::no_hold;
    }

    void take(const event& e, const renewed& what) {
        if (auto* h = hold_of(e, what)) { h->renewals.push_back(&e); }
    }

    void take(const event& e, const released& result) {
        auto* h = hold_of(e, result);
        if (h == nullptr) { return; }
        if (h->release != nullptr) { complain(e, result.name, "released the same hold twice"); }
        if (h->release == nullptr) { h->release = &e; }
    }

    void take(const event& e, const lost& what) {
        auto* h = hold_of(e, what);
        if (h == nullptr) { return; }
        if (h->loss != nullptr) { complain(e, what.name, "lost the same hold twice"); }
        if (h->loss == nullptr) { h->loss = &e; }
    }

    void take(const event& e, const wrote& what) { line_of(what).writes.push_back(&e); }
    void take(const event& e, const broken& what) { line_of(what).breaks.push_back(&e); }

    void take(const event& e, const resumed& what) {
        if (what.to < what.from) { complain(e, "", "recorded a stop that ended before it began"); }
        out_.processes[what.victim].stops.push_back({what.from, what.to});
    }

    void take(const event& e, const killed& what) {
        out_.processes[what.victim].kills.push_back(&e);
        ++out_.kills;
    }

    timeline& out_;
    std::unordered_map<std::string, open_ends> open_{};
};

/// The first break answered after the grant concerns a hold. So does one answered while it was
/// being asked for that names a token at least as high: then the grant was made before the break
/// and only recorded late. That goes for exclusive holds; readers who come after may carry the same
/// token.
void note_breaks(name_line& line) {
    for (auto& h : line.holds) {
        auto b = std::ranges::lower_bound(line.breaks, h.asked->at, {},
                                          [](const event* e) { return e->at; });
        for (; b != line.breaks.end() && h.broken_from == never; ++b) {
            const auto& what = std::get<broken>((*b)->type);
            const bool by_token =
                h.request().mode == mode::exclusive && what.token != 0 && h.token() <= what.token;
            if (by_token || (*b)->at >= h.grant->at) { h.broken_from = sent_at(**b, what); }
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
        std::ranges::sort(process.stops, {}, &span_of_time::from);
    }
    for (auto& [name, line] : out.names) {
        for (auto& r : line.requests) {
            const auto death = out.process(r.asked->pid).death_after(r.asked->at);
            r.until = std::min(r.until, std::max(death, r.asked->at));
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
    // Stable: what one process records in one nanosecond stays in the order of the file.
    std::ranges::stable_sort(order, {}, [](const event* e) { return e->at; });

    timeline result;
    if (!order.empty()) {
        result.begin = order.front()->at;
        result.end = order.back()->at;
    }
    arranger walk{result};
    for (const auto* e : order) { walk.take(*e); }
    finish(result);
    return result;
}

} // namespace holdfast::history
