#include "planted_faults.hpp"

#include "history/timeline.hpp"

#include <algorithm>
#include <functional>
#include <optional>

namespace holdfast::history::testing {
namespace {

using namespace std::chrono_literals;
using events = std::vector<event>;

/// A hold at which a fault can be planted, the next hold of the same name, if any, and its
/// process.
struct candidate {
    const timeline& all;
    const name_line& line;
    const history::hold& hold;
    const history::hold* next;

    [[nodiscard]] const process_line& process() const { return all.process(hold.grant->pid); }
    [[nodiscard]] mode hold_mode() const { return hold.request().mode; }
    [[nodiscard]] bool next_is(mode m) const {
        return next != nullptr && next->request().mode == m && !next->valid.empty() &&
               next->valid.front().to - next->grant->at > 10us;
    }
    /// Whether this lease would still be valid just after the next was granted.
    [[nodiscard]] bool could_overlap() const {
        return hold.last_valid_until() > next->grant->at + 1us && hold.broken_from == never;
    }
    /// Whether no kill or stop of the process explains the fault.
    [[nodiscard]] bool undisturbed(stamp from, stamp to) const {
        return process().death_after(hold.grant->at) > to &&
               std::ranges::none_of(process().stops, [&](const time_span& s) {
                   return s.from <= to && s.to >= from;
               });
    }
};

using condition = std::function<bool(const candidate&)>;

/// Plants a fault at a random candidate.
class fault_planter {
public:
    fault_planter(events& history, std::mt19937_64& random) : history_{history}, random_{random} {}

    template <class Change>
    bool plant_at_one(const condition& matches, Change change) {
        const auto all = arrange(history_);
        std::vector<candidate> candidates;
        for (const auto& [name, line] : all.names) {
            for (std::size_t i = 0; i < line.holds.size(); ++i) {
                const bool last = i + 1 == line.holds.size();
                const candidate p{all, line, line.holds[i], last ? nullptr : &line.holds[i + 1]};
                if (matches(p)) { candidates.push_back(p); }
            }
        }
        if (candidates.empty()) { return false; }
        change(*this, candidates[random_() % candidates.size()]);
        return true;
    }

    event& edit(const event* e) { return history_[static_cast<std::size_t>(e - history_.data())]; }
    template <class EventType>
    EventType& edit_as(const event* e) {
        return std::get<EventType>(edit(e).type);
    }
    /// Call it last: it moves the events that the candidate points to.
    void drop(const std::vector<const event*>& victims) {
        std::vector<bool> gone(history_.size(), false);
        for (const auto* v : victims) {
            if (v != nullptr) { gone[static_cast<std::size_t>(v - history_.data())] = true; }
        }
        events kept;
        for (std::size_t i = 0; i < history_.size(); ++i) {
            if (!gone[i]) { kept.push_back(history_[i]); }
        }
        history_ = std::move(kept);
    }
    void add(event e) { history_.push_back(std::move(e)); }

private:
    events& history_;
    std::mt19937_64& random_;
};

bool released_late(events& h, std::mt19937_64& r, mode first, mode second) {
    return fault_planter{h, r}.plant_at_one(
        [&](const candidate& p) {
            return p.hold_mode() == first && p.next_is(second) && p.hold.release != nullptr &&
                   p.could_overlap() && p.hold.release->at < p.next->grant->at &&
                   p.hold.died > p.next->grant->at + 1us;
        },
        [](fault_planter& g, const candidate& p) {
            g.edit(p.hold.release).at = p.next->grant->at + 1us;
        });
}

bool killed_late(events& h, std::mt19937_64& r) {
    return fault_planter{h, r}.plant_at_one(
        [](const candidate& p) {
            return p.hold_mode() == mode::exclusive && p.next_is(mode::exclusive) &&
                   p.hold.died < p.next->grant->at && p.could_overlap() &&
                   p.hold.release == nullptr && p.hold.loss == nullptr;
        },
        [](fault_planter& g, const candidate& p) {
            for (const auto* k : p.process().kills) {
                auto& kill = g.edit_as<killed>(k);
                kill.sent = std::max(kill.sent, p.next->grant->at + 1us);
                g.edit(k).at = std::max(k->at, kill.sent);
            }
        });
}

bool break_unrecorded(events& h, std::mt19937_64& r) {
    return fault_planter{h, r}.plant_at_one(
        [](const candidate& p) {
            return p.hold_mode() == mode::exclusive && p.next_is(mode::exclusive) &&
                   p.hold.broken_from < p.next->grant->at && p.hold.loss != nullptr &&
                   p.hold.last_valid_until() > p.next->grant->at + 1us &&
                   std::get<lost>(p.hold.loss->type).fired > p.next->grant->at + 1us;
        },
        [](fault_planter& g, const candidate& p) { g.drop(p.line.breaks); });
}

bool has_company(const candidate& p) {
    const auto at = p.hold.grant->at;
    return p.hold_mode() == mode::permits && p.hold.valid_at_grant() &&
           std::ranges::any_of(p.line.holds, [&](const hold& other) {
               return &other != &p.hold && !other.valid.empty() && other.grant->at < at &&
                      other.valid.back().to > at;
           });
}

bool more_permits(events& h, std::mt19937_64& r) {
    return fault_planter{h, r}.plant_at_one(has_company, [](fault_planter& g, const candidate& p) {
        g.edit_as<requested>(p.hold.request_event).n = 3;
    });
}

bool other_limit(events& h, std::mt19937_64& r) {
    return fault_planter{h, r}.plant_at_one(has_company, [](fault_planter& g, const candidate& p) {
        g.edit_as<requested>(p.hold.request_event).limit = 4;
    });
}

bool two_writers(const candidate& p) {
    // A break that names the token could explain it: the next might have been granted before.
    return p.hold_mode() == mode::exclusive && p.next_is(mode::exclusive) &&
           p.next->valid_at_grant() && p.hold.broken_from >= p.next->grant->at;
}

bool tokens_swapped(events& h, std::mt19937_64& r) {
    return fault_planter{h, r}.plant_at_one(two_writers, [](fault_planter& g, const candidate& p) {
        std::swap(g.edit_as<granted>(p.hold.grant).token, g.edit_as<granted>(p.next->grant).token);
    });
}

bool token_reused(events& h, std::mt19937_64& r) {
    return fault_planter{h, r}.plant_at_one(two_writers, [](fault_planter& g, const candidate& p) {
        g.edit_as<granted>(p.next->grant).token = p.hold.token();
    });
}

bool old_epoch(events& h, std::mt19937_64& r) {
    return fault_planter{h, r}.plant_at_one(
        [](const candidate& p) {
            return p.hold_mode() == mode::exclusive && p.next_is(mode::shared) &&
                   p.next->valid_at_grant();
        },
        [](fault_planter& g, const candidate& p) { --g.edit_as<granted>(p.next->grant).token; });
}

bool refused_write_accepted(events& h, std::mt19937_64& r) {
    std::vector<wrote*> refused;
    for (auto& e : h) {
        auto* w = std::get_if<wrote>(&e.type);
        if (w != nullptr && !w->accepted) { refused.push_back(w); }
    }
    if (refused.empty()) { return false; }
    refused[r() % refused.size()]->accepted = true;
    return true;
}

bool update_overwritten(events& h, std::mt19937_64& r) {
    std::vector<wrote*> counted;
    for (auto& e : h) {
        auto* w = std::get_if<wrote>(&e.type);
        if (w != nullptr && w->value && *w->value > 1) { counted.push_back(w); }
    }
    if (counted.empty()) { return false; }
    --*counted[r() % counted.size()]->value;
    return true;
}

bool forgotten(events& h, std::mt19937_64& r) {
    return fault_planter{h, r}.plant_at_one(
        [](const candidate& p) {
            const auto asked = p.hold.request_event->at;
            return p.all.end - asked > 8s && p.undisturbed(asked, asked + 8s);
        },
        [](fault_planter& g, const candidate& p) {
            auto gone = p.hold.renewals;
            gone.insert(gone.end(), {p.hold.grant, p.hold.release, p.hold.loss});
            g.drop(gone);
        });
}

bool requested_long_before(events& h, std::mt19937_64& r) {
    return fault_planter{h, r}.plant_at_one(
        [](const candidate& p) {
            return p.next_is(mode::exclusive) && p.next->grant->at - p.hold.grant->at > 60ms &&
                   p.hold.request_event->at - p.all.begin > 60ms &&
                   candidate{p.all, p.line, *p.next, nullptr}.undisturbed(
                       p.hold.request_event->at - 60ms, p.next->grant->at);
        },
        [](fault_planter& g, const candidate& p) {
            g.edit(p.next->request_event).at = p.hold.request_event->at - 51ms;
        });
}

/// A loss because time ran out, of a process to which nothing else happens soon.
bool plain_loss(const candidate& p) {
    if (p.hold.loss == nullptr || p.hold.release != nullptr) { return false; }
    const auto fired = std::get<lost>(p.hold.loss->type).fired;
    const auto n = p.hold.last_valid_until();
    return fired >= n && p.all.end - fired > 1s && p.undisturbed(n, fired + 500ms);
}

bool loss_fired_late(events& h, std::mt19937_64& r) {
    return fault_planter{h, r}.plant_at_one(plain_loss, [](fault_planter& g, const candidate& p) {
        g.edit_as<lost>(p.hold.loss).fired = p.hold.last_valid_until() + 20ms + 1ns;
    });
}

bool stopped_and_fired_late(events& h, std::mt19937_64& r) {
    const auto stop_over_end = [](const candidate& p) -> std::optional<time_span> {
        const auto n = p.hold.last_valid_until();
        for (const auto& s : p.process().stops) {
            if (s.from < n && s.to > n) { return s; }
        }
        return std::nullopt;
    };
    return fault_planter{h, r}.plant_at_one(
        [&](const candidate& p) {
            const auto stop = stop_over_end(p);
            return stop && p.hold.loss != nullptr && p.all.end - stop->to > 1s &&
                   p.undisturbed(stop->to + 1ns, stop->to + 500ms);
        },
        [&](fault_planter& g, const candidate& p) {
            g.edit_as<lost>(p.hold.loss).fired = stop_over_end(p)->to + 100ms + 1ns;
        });
}

bool loss_not_fired(events& h, std::mt19937_64& r) {
    return fault_planter{h, r}.plant_at_one(
        plain_loss, [](fault_planter& g, const candidate& p) { g.drop({p.hold.loss}); });
}

bool lost_then_renewed(events& h, std::mt19937_64& r) {
    return fault_planter{h, r}.plant_at_one(plain_loss, [](fault_planter& g, const candidate& p) {
        auto e = *p.hold.loss;
        e.at += 1ms;
        e.type = renewed{p.line.name, p.hold.request().owner, e.at + 100ms};
        g.add(e);
    });
}

bool released_by_a_stranger(events& h, std::mt19937_64& r) {
    return fault_planter{h, r}.plant_at_one(
        [](const candidate& p) { return p.hold.release != nullptr; },
        [](fault_planter& g, const candidate& p) {
            g.edit_as<released>(p.hold.release).owner = "stranger";
        });
}

} // namespace

const std::vector<fault>& all_faults() {
    using enum rule;
    using random = std::mt19937_64;
    static const std::vector<fault> faults{
        {"released_late", two_exclusive,
         [](events& h, random& r) {
             return released_late(h, r, mode::exclusive, mode::exclusive);
         }},
        {"writer_released_late", exclusive_with_shared,
         [](events& h, random& r) { return released_late(h, r, mode::exclusive, mode::shared); }},
        {"reader_released_late", exclusive_with_shared,
         [](events& h, random& r) { return released_late(h, r, mode::shared, mode::exclusive); }},
        {"killed_late", two_exclusive, killed_late},
        {"break_unrecorded", two_exclusive, break_unrecorded},
        {"more_permits", too_many_permits, more_permits},
        {"other_limit", mixed_use, other_limit},
        {"tokens_swapped", token_order, tokens_swapped},
        {"token_reused", token_twice, token_reused},
        {"old_epoch", wrong_epoch, old_epoch},
        {"refused_write_accepted", stale_write, refused_write_accepted},
        {"update_overwritten", lost_update, update_overwritten},
        {"forgotten", starved, forgotten},
        {"requested_long_before", overtaken, requested_long_before},
        {"loss_fired_late", late_loss, loss_fired_late},
        {"stopped_and_fired_late", late_loss, stopped_and_fired_late},
        {"loss_not_fired", unreported_loss, loss_not_fired},
        {"lost_then_renewed", revived, lost_then_renewed},
        {"released_by_a_stranger", incoherent, released_by_a_stranger},
    };
    return faults;
}

} // namespace holdfast::history::testing
