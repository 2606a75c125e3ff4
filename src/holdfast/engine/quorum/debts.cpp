#include "holdfast/engine/quorum/debts.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::engine::quorum {

void debts::add(unsigned node, const withdraw_op& withdrawal, base::instant until,
                base::instant now) {
    if (until <= now) { return; }
    const auto same = std::find_if(debts_.begin(), debts_.end(), [&](const debt& known) {
        return known.node == node && known.withdrawal.ticket.owner == withdrawal.ticket.owner;
    });
    if (same != debts_.end()) { // one withdrawal takes back all that the earlier one does
        auto& known = same->withdrawal;
        known.asks_again = known.asks_again && withdrawal.asks_again;
        same->until = std::max(same->until, until);
    } else {
        if (debts_.size() >= max_debts) {
            debts_.erase(
                std::min_element(debts_.begin(), debts_.end(),
                                 [](const debt& a, const debt& b) { return a.until < b.until; }));
        }
        debts_.push_back({node, withdrawal, until, now + retry_pause});
    }
    find_due();
}

bool debts::drop(unsigned node, const base::owner_id& owner) noexcept {
    if (debts_.empty()) { return false; }
    const auto dropped = std::erase_if(debts_, [&](const debt& known) {
        return known.node == node && known.withdrawal.ticket.owner == owner;
    });
    return dropped > 0;
}

void debts::hurry(unsigned node, base::instant now) noexcept {
    for (auto& each : debts_) {
        if (each.node == node) { each.next = now; }
    }
    find_due();
}

std::vector<debts::debt> debts::take_due(base::instant now) {
    std::erase_if(debts_, [now](const debt& each) { return each.until <= now; });
    std::vector<debt> out;
    const auto due = std::stable_partition(debts_.begin(), debts_.end(),
                                           [now](const debt& each) { return each.next > now; });
    out.assign(std::make_move_iterator(due), std::make_move_iterator(debts_.end()));
    debts_.erase(due, debts_.end());
    find_due();
    return out;
}

void debts::find_due() noexcept {
    due_ = base::never;
    for (const auto& each : debts_) { due_ = std::min({due_, each.next, each.until}); }
}

} // namespace holdfast::engine::quorum
