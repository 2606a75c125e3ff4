#include "cli/hold_changes.hpp"

#include "cli/process_command.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace holdfast::cli {

const char* to_string(hold_change::kind type) noexcept {
    switch (type) {
    case hold_change::kind::granted: return "granted";
    case hold_change::kind::ended: return "ended";
    case hold_change::kind::expired: return "expired";
    }
    return "";
}

bool is_held_by(const std::optional<lock_info>& lock, const std::string& owner) {
    return lock && std::any_of(lock->holders.begin(), lock->holders.end(),
                               [&](const party& each) { return each.owner == owner; });
}

std::vector<hold_change> hold_changes::add(const lock_info& lock, base::instant now) {
    std::vector<hold_change> out;
    // First what has ended, or it would look as if two had held it.
    for (auto known = holds_.lower_bound({lock.name, {}});
         known != holds_.end() && known->first.lock == lock.name;) {
        const bool ended = !is_held_by(lock, known->first.owner);
        if (ended) { out.push_back(ending(known->first, known->second, now)); }
        known = ended ? holds_.erase(known) : std::next(known);
    }
    for (const auto& holder : lock.holders) {
        const hold_key key{lock.name, holder.owner};
        const auto known = holds_.find(key);
        const bool is_same = known != holds_.end() && known->second.holder.token == holder.token;
        // Its process may be gone by the time that the hold has ended.
        auto command = is_same ? known->second.command : process_command(holder);
        if (!is_same) {
            if (known != holds_.end()) { out.push_back(ending(key, known->second, now)); }
            // A hold that rests has ended already: nobody saw it begin.
            if (known != holds_.end() || !holder.resting) {
                out.push_back({hold_change::kind::granted, lock.name, holder, command});
            }
        } else if (holder.resting && !known->second.holder.resting) {
            out.push_back(ending(key, known->second, now));
        }
        holds_[key] = {holder, std::move(command), now, walk_};
    }
    return out;
}

std::vector<hold_changes::hold_key> hold_changes::absent() const {
    std::vector<hold_key> out;
    for (const auto& [key, hold] : holds_) {
        if (hold.walk != walk_) { out.push_back(key); }
    }
    return out;
}

hold_change hold_changes::remove(const hold_key& key, base::instant now) {
    const auto known = holds_.find(key);
    auto out = ending(key, known->second, now);
    holds_.erase(known);
    return out;
}

hold_change hold_changes::ending(const hold_key& key, const seen_hold& last, base::instant now) {
    const auto unseen = std::chrono::ceil<base::milliseconds>(now - last.seen);
    const bool ran_out = unseen >= last.holder.remaining;
    hold_change out{ran_out ? hold_change::kind::expired : hold_change::kind::ended, key.lock,
                    last.holder, last.command};
    const bool is_dated = last.holder.since.time_since_epoch().count() != 0;
    if (is_dated) { out.holder.age += std::min(unseen, last.holder.remaining); }
    return out;
}

} // namespace holdfast::cli
