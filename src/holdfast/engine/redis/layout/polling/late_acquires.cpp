#include "holdfast/engine/redis/layout/polling/late_acquires.hpp"

#include <algorithm>

namespace holdfast::engine::redis {

using base::duration;
using base::instant;

namespace {

constexpr base::milliseconds first_pause{250};
constexpr base::milliseconds usual_pause{1000};
constexpr unsigned short_pauses = 20;
constexpr base::milliseconds after_an_outage{5000};

} // namespace

void late_acquires::add(const ticket& ticket, instant until, instant now) {
    std::erase_if(entries_, [&](const entry& known) {
        return known.next == base::never && now > known.until;
    });
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const entry& known) {
        return known.ticket.owner == ticket.owner;
    });
    if (found != entries_.end()) { // one of several requests of this ticket
        found->until = std::max(found->until, until);
        return;
    }
    if (entries_.size() >= max_entries) { entries_.erase(entries_.begin()); }
    entries_.push_back({.ticket = ticket, .until = until});
}

duration late_acquires::may_arrive_for(const base::owner_id& owner, instant now) const noexcept {
    for (const auto& known : entries_) {
        if (known.ticket.owner == owner) { return std::max(known.until - now, duration::zero()); }
    }
    return duration::zero();
}

void late_acquires::mark_unwanted(const base::owner_id& owner, bool asks_again, instant now) {
    for (auto& known : entries_) {
        if (known.ticket.owner != owner) { continue; }
        known.asks_again = asks_again;
        if (known.next != base::never) { continue; }
        known.next = now + first_pause;
        due_ = std::min(due_, known.next);
    }
}

void late_acquires::mark_wanted(const base::owner_id& owner) noexcept {
    for (auto& known : entries_) {
        if (known.ticket.owner == owner) { known.next = base::never; }
    }
}

void late_acquires::forget(const base::owner_id& owner) {
    std::erase_if(entries_, [&](const entry& known) { return known.ticket.owner == owner; });
    if (entries_.empty()) { due_ = base::never; }
}

void late_acquires::resume(instant now) {
    for (auto& known : entries_) {
        known.until = std::max(known.until, now + after_an_outage);
        due_ = std::min(due_, known.next);
    }
}

std::vector<late_acquires::entry>
late_acquires::take_due(instant now, const std::function<bool(const ticket&)>& reachable) {
    std::vector<entry> out;
    due_ = base::never;
    std::erase_if(entries_, [&](entry& known) {
        const bool is_due = known.next <= now;
        if (is_due && !reachable(known.ticket)) { return false; } // until `resume`
        if (is_due) {
            out.push_back(known);
            known.next = now + (++known.withdrawals < short_pauses ? first_pause : usual_pause);
        }
        // An unwanted acquire is withdrawn for the last time when nothing can follow.
        if (now > known.until && (is_due || known.next == base::never)) { return true; }
        due_ = std::min(due_, known.next);
        return false;
    });
    return out;
}

} // namespace holdfast::engine::redis
