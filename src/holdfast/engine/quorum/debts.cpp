#include "holdfast/engine/quorum/debts.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::engine::quorum {

using base::instant;

namespace {

/// One request that takes back all that the two do. Only a withdrawal stops an acquire that is
/// still on its way; only a release leaves min_hold in force.
op merge(const op& known, const op& added) {
    const auto* const first = std::get_if<withdraw_op>(&known);
    const auto* const second = std::get_if<withdraw_op>(&added);
    if (first == nullptr && second == nullptr) { return known; }
    const bool asks_again =
        first != nullptr && second != nullptr && first->asks_again && second->asks_again;
    return withdraw_op{ticket_of(known), asks_again};
}

} // namespace

const ticket& ticket_of(const op& request) noexcept {
    const auto* const release = std::get_if<release_op>(&request);
    return release != nullptr ? release->ticket : std::get_if<withdraw_op>(&request)->ticket;
}

void debts::add(unsigned node, const op& request, instant until, instant now) {
    if (until <= now) { return; }
    const debt_key key{node, ticket_of(request).owner};
    const auto same = debts_.find(key);
    if (same == debts_.end()) {
        if (debts_.size() >= max_debts) { erase(debts_.find(by_until_.begin()->second)); }
        return insert(key, {node, request, until, now + retry_pause});
    }
    auto& known = same->second;
    known.request = merge(known.request, request);
    move(by_until_, known.until, std::max(known.until, until), key);
}

void debts::insert(const debt_key& key, debt&& added) {
    const auto entry = debts_.emplace(key, std::move(added)).first;
    try {
        by_next_.emplace(entry->second.next, key);
        by_until_.emplace(entry->second.until, key);
    } catch (...) {
        erase(entry);
        throw;
    }
}

void debts::erase(debt_map::iterator entry) noexcept {
    by_next_.erase({entry->second.next, entry->first});
    by_until_.erase({entry->second.until, entry->first});
    debts_.erase(entry);
}

/// Allocates nothing.
void debts::move(time_index& index, instant& present, instant changed,
                 const debt_key& key) noexcept {
    auto entry = index.extract({present, key});
    present = changed;
    entry.value().first = changed;
    index.insert(std::move(entry));
}

bool debts::drop(unsigned node, const base::owner_id& owner) noexcept {
    const auto found = debts_.find({node, owner});
    if (found == debts_.end()) { return false; }
    erase(found);
    return true;
}

void debts::hurry(unsigned node, instant now) noexcept {
    for (auto entry = debts_.lower_bound({node, {}});
         entry != debts_.end() && entry->first.first == node; ++entry) {
        move(by_next_, entry->second.next, now, entry->first);
    }
}

std::vector<debts::debt> debts::take_due(instant now) {
    while (!by_until_.empty() && by_until_.begin()->first <= now) {
        erase(debts_.find(by_until_.begin()->second));
    }
    const auto end = std::find_if(by_next_.begin(), by_next_.end(),
                                  [now](const auto& each) { return each.first > now; });
    std::vector<debt> out;
    out.reserve(static_cast<std::size_t>(std::distance(by_next_.begin(), end)));
    while (!by_next_.empty() && by_next_.begin()->first <= now) {
        const auto entry = debts_.find(by_next_.begin()->second);
        const auto key = entry->first;
        by_next_.erase(by_next_.begin());
        by_until_.erase({entry->second.until, key});
        out.push_back(std::move(entry->second));
        debts_.erase(entry);
    }
    return out;
}

instant debts::due() const noexcept {
    if (debts_.empty()) { return base::never; }
    return std::min(by_next_.begin()->first, by_until_.begin()->first);
}

} // namespace holdfast::engine::quorum
