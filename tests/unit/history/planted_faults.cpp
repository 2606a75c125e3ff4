#include "planted_faults.hpp"

#include "history/timeline.hpp"

#include <algorithm>
#include <functional>
#include <optional>

namespace holdfast::history::testing {
namespace {

using namespace std::chrono_literals;
using events = std::vector<event>;

/// A hold that offers itself as victim, the one granted after it on the same name, if any, and its
/// process.
struct place {
    const timeline& all;
    const name_line& line;
    const hold& here;
    const hold* next;

    [[nodiscard]] const process_line& process() const { return all.process(here.grant->pid); }
    [[nodiscard]] mode how() const { return here.request().mode; }
    [[nodiscard]] bool next_is(mode m) const {
        return next != nullptr && next->request().mode == m && !next->valid.empty() &&
               next->valid.front().to - next->grant->at > 10us;
    }
    /// Whether the lease here would still be valid just after the next was granted.
    [[nodiscard]] bool could_overlap() const {
        return here.last_valid_until() > next->grant->at + 1us && here.broken_from == never;
    }
    /// Nothing else happens to the process for a while that would excuse it.
    [[nodiscard]] bool undisturbed(stamp from, stamp to) const {
        return process().death_after(here.grant->at) > to &&
               std::ranges::none_of(process().stops, [&](const span_of_time& s) {
                   return s.from <= to && s.to >= from;
               });
    }
};

using condition = std::function<bool(const place&)>;

/// Plants the fault at one of the places where it would show.
class gardener {
public:
    gardener(events& history, std::mt19937_64& random) : history_{history}, random_{random} {}

    template <class Change>
    bool at_one(const condition& suits, Change change) {
        const auto all = arrange(history_);
        std::vector<place> places;
        for (const auto& [name, line] : all.names) {
            for (std::size_t i = 0; i < line.holds.size(); ++i) {
                const bool last = i + 1 == line.holds.size();
                const place p{all, line, line.holds[i], last ? nullptr : &line.holds[i + 1]};
                if (suits(p)) { places.push_back(p); }
            }
        }
        if (places.empty()) { return false; }
        change(*this, places[random_() % places.size()]);
        return true;
    }

    event& edit(const event* e) { return history_[static_cast<std::size_t>(e - history_.data())]; }
    template <class Happening>
    Happening& edit_as(const event* e) {
        return std::get<Happening>(edit(e).type);
    }
    /// Must come last: it moves the events that the place points to.
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
    return gardener{h, r}.at_one(
        [&](const place& p) {
            return p.how() == first && p.next_is(second) && p.here.release != nullptr &&
                   p.could_overlap() && p.here.release->at < p.next->grant->at &&
                   p.here.died > p.next->grant->at + 1us;
        },
        [](gardener& g, const place& p) { g.edit(p.here.release).at = p.next->grant->at + 1us; });
}

bool killed_late(events& h, std::mt19937_64& r) {
    return gardener{h, r}.at_one(
        [](const place& p) {
            return p.how() == mode::exclusive && p.next_is(mode::exclusive) &&
                   p.here.died < p.next->grant->at && p.could_overlap() &&
                   p.here.release == nullptr && p.here.loss == nullptr;
        },
        [](gardener& g, const place& p) {
            for (const auto* k : p.process().kills) {
                auto& what = g.edit_as<killed>(k);
                what.sent = std::max(what.sent, p.next->grant->at + 1us);
                g.edit(k).at = std::max(k->at, what.sent);
            }
        });
}

bool break_unrecorded(events& h, std::mt19937_64& r) {
    return gardener{h, r}.at_one(
        [](const place& p) {
            return p.how() == mode::exclusive && p.next_is(mode::exclusive) &&
                   p.here.broken_from < p.next->grant->at && p.here.loss != nullptr &&
                   p.here.last_valid_until() > p.next->grant->at + 1us &&
                   std::get<lost>(p.here.loss->type).fired > p.next->grant->at + 1us;
        },
        [](gardener& g, const place& p) { g.drop(p.line.breaks); });
}

bool has_company(const place& p) {
    const auto at = p.here.grant->at;
    return p.how() == mode::permits && p.here.valid_at_grant() &&
           std::ranges::any_of(p.line.holds, [&](const hold& other) {
               return &other != &p.here && !other.valid.empty() && other.grant->at < at &&
                      other.valid.back().to > at;
           });
}

bool more_permits(events& h, std::mt19937_64& r) {
    return gardener{h, r}.at_one(
        has_company, [](gardener& g, const place& p) { g.edit_as<requested>(p.here.asked).n = 3; });
}

bool other_limit(events& h, std::mt19937_64& r) {
    return gardener{h, r}.at_one(has_company, [](gardener& g, const place& p) {
        g.edit_as<requested>(p.here.asked).limit = 4;
    });
}

bool two_writers(const place& p) {
    // A break that names the token could explain it: the next might have been granted before.
    return p.how() == mode::exclusive && p.next_is(mode::exclusive) && p.next->valid_at_grant() &&
           p.here.broken_from >= p.next->grant->at;
}

bool tokens_swapped(events& h, std::mt19937_64& r) {
    return gardener{h, r}.at_one(two_writers, [](gardener& g, const place& p) {
        std::swap(g.edit_as<granted>(p.here.grant).token, g.edit_as<granted>(p.next->grant).token);
    });
}

bool token_reused(events& h, std::mt19937_64& r) {
    return gardener{h, r}.at_one(two_writers, [](gardener& g, const place& p) {
        g.edit_as<granted>(p.next->grant).token = p.here.token();
    });
}

bool old_epoch(events& h, std::mt19937_64& r) {
    return gardener{h, r}.at_one(
        [](const place& p) {
            return p.how() == mode::exclusive && p.next_is(mode::shared) &&
                   p.next->valid_at_grant();
        },
        [](gardener& g, const place& p) { --g.edit_as<granted>(p.next->grant).token; });
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
    return gardener{h, r}.at_one(
        [](const place& p) {
            const auto asked = p.here.asked->at;
            return p.all.end - asked > 8s && p.undisturbed(asked, asked + 8s);
        },
        [](gardener& g, const place& p) {
            auto gone = p.here.renewals;
            gone.insert(gone.end(), {p.here.grant, p.here.release, p.here.loss});
            g.drop(gone);
        });
}

bool asked_long_before(events& h, std::mt19937_64& r) {
    return gardener{h, r}.at_one(
        [](const place& p) {
            return p.next_is(mode::exclusive) && p.next->grant->at - p.here.grant->at > 60ms &&
                   p.here.asked->at - p.all.begin > 60ms &&
                   place{p.all, p.line, *p.next, nullptr}.undisturbed(p.here.asked->at - 60ms,
                                                                      p.next->grant->at);
        },
        [](gardener& g, const place& p) { g.edit(p.next->asked).at = p.here.asked->at - 51ms; });
}

/// A loss because time ran out, of a process to which nothing else happens soon.
bool plain_loss(const place& p) {
    if (p.here.loss == nullptr || p.here.release != nullptr) { return false; }
    const auto fired = std::get<lost>(p.here.loss->type).fired;
    const auto n = p.here.last_valid_until();
    return fired >= n && p.all.end - fired > 1s && p.undisturbed(n, fired + 500ms);
}

bool loss_told_late(events& h, std::mt19937_64& r) {
    return gardener{h, r}.at_one(plain_loss, [](gardener& g, const place& p) {
        g.edit_as<lost>(p.here.loss).fired = p.here.last_valid_until() + 20ms + 1ns;
    });
}

bool stopped_and_told_late(events& h, std::mt19937_64& r) {
    const auto stop_over_end = [](const place& p) -> std::optional<span_of_time> {
        const auto n = p.here.last_valid_until();
        for (const auto& s : p.process().stops) {
            if (s.from < n && s.to > n) { return s; }
        }
        return std::nullopt;
    };
    return gardener{h, r}.at_one(
        [&](const place& p) {
            const auto stop = stop_over_end(p);
            return stop && p.here.loss != nullptr && p.all.end - stop->to > 1s &&
                   p.undisturbed(stop->to + 1ns, stop->to + 500ms);
        },
        [&](gardener& g, const place& p) {
            g.edit_as<lost>(p.here.loss).fired = stop_over_end(p)->to + 100ms + 1ns;
        });
}

bool loss_untold(events& h, std::mt19937_64& r) {
    return gardener{h, r}.at_one(plain_loss,
                                 [](gardener& g, const place& p) { g.drop({p.here.loss}); });
}

bool lost_then_renewed(events& h, std::mt19937_64& r) {
    return gardener{h, r}.at_one(plain_loss, [](gardener& g, const place& p) {
        auto e = *p.here.loss;
        e.at += 1ms;
        e.type = renewed{p.line.name, p.here.request().owner, e.at + 100ms};
        g.add(e);
    });
}

bool released_by_a_stranger(events& h, std::mt19937_64& r) {
    return gardener{h, r}.at_one([](const place& p) { return p.here.release != nullptr; },
                                 [](gardener& g, const place& p) {
                                     g.edit_as<released>(p.here.release).owner = "stranger";
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
        {"asked_long_before", overtaken, asked_long_before},
        {"loss_told_late", late_loss, loss_told_late},
        {"stopped_and_told_late", late_loss, stopped_and_told_late},
        {"loss_untold", untold_loss, loss_untold},
        {"lost_then_renewed", revived, lost_then_renewed},
        {"released_by_a_stranger", incoherent, released_by_a_stranger},
    };
    return faults;
}

} // namespace holdfast::history::testing
