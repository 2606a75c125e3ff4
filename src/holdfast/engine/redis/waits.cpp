#include "holdfast/engine/redis/waits.hpp"

#include "holdfast/engine/answers.hpp"

#include <algorithm>

namespace holdfast::engine::redis {

using base::instant;

namespace {

constexpr base::milliseconds linger{1000};

} // namespace

bool waits::anybody(std::string_view channel) const {
    const auto found = channels_.find(channel);
    return found != channels_.end() && !found->second.waiters.empty();
}

bool waits::listening(std::string_view channel) const {
    const auto found = channels_.find(channel);
    return found != channels_.end() && found->second.listening;
}

waits::line* waits::find(std::string_view channel) {
    const auto found = channels_.find(channel);
    return found == channels_.end() ? nullptr : &found->second;
}

std::size_t waits::add(const std::string& channel, bool sharded, std::uint64_t number,
                       instant now) {
    line& to = channels_[channel];
    to.sharded = sharded;
    const auto found = std::find_if(to.waiters.begin(), to.waiters.end(),
                                    [&](const waiter& entry) { return entry.number == number; });
    if (found != to.waiters.end()) {
        found->asked = now;
        return static_cast<std::size_t>(found - to.waiters.begin());
    }
    to.waiters.push_back({number, now});
    due_ = std::min(due_, now + engine::waiter_patience);
    return to.waiters.size() - 1;
}

void waits::remove(line& from, std::uint64_t number, instant now) {
    std::erase_if(from.waiters, [&](const waiter& entry) { return entry.number == number; });
    if (from.waiters.empty()) {
        from.idle_since = now;
        due_ = std::min(due_, now + linger);
    }
}

void waits::served(std::string_view channel, std::uint64_t number, instant now) {
    if (auto* const from = find(channel)) { remove(*from, number, now); }
}

std::optional<std::uint64_t> waits::left(std::string_view channel, std::uint64_t number,
                                         instant now) {
    auto* const from = find(channel);
    if (from == nullptr || from->waiters.empty()) { return std::nullopt; }
    const bool was_first = from->waiters.front().number == number;
    remove(*from, number, now);
    if (!was_first || from->waiters.empty()) { return std::nullopt; }
    return from->waiters.front().number;
}

std::optional<std::uint64_t> waits::first(std::string_view channel, instant now) {
    auto* const found = find(channel);
    if (found == nullptr) { return std::nullopt; }
    // One that has not asked for so long has gone without a word.
    std::erase_if(found->waiters,
                  [&](const waiter& entry) { return now > entry.asked + engine::waiter_patience; });
    if (found->waiters.empty()) { return std::nullopt; }
    return found->waiters.front().number;
}

std::vector<std::uint64_t> waits::all(std::string_view channel) const {
    std::vector<std::uint64_t> out;
    const auto found = channels_.find(channel);
    if (found == channels_.end()) { return out; }
    for (const auto& entry : found->second.waiters) { out.push_back(entry.number); }
    return out;
}

void waits::subscribed(std::string_view channel) {
    if (auto* const to = find(channel)) { to->listening = true; }
}

void waits::lost() {
    for (auto& [channel, one] : channels_) { one.listening = false; }
}

std::vector<waits::channel_name> waits::idle(instant now) {
    std::vector<channel_name> out;
    due_ = base::never;
    for (auto at = channels_.begin(); at != channels_.end();) {
        line& found = at->second;
        const bool had_some = !found.waiters.empty();
        std::erase_if(found.waiters, [&](const waiter& each) {
            return now > each.asked + engine::waiter_patience;
        });
        if (had_some && found.waiters.empty()) { found.idle_since = now; }
        if (!found.waiters.empty()) {
            due_ = std::min(due_, now + engine::waiter_patience);
        } else if (now < found.idle_since + linger) {
            due_ = std::min(due_, found.idle_since + linger);
        } else {
            if (found.listening) { out.push_back({at->first, found.sharded}); }
            at = channels_.erase(at);
            continue;
        }
        ++at;
    }
    return out;
}

} // namespace holdfast::engine::redis
