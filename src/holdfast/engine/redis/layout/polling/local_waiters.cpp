#include "holdfast/engine/redis/layout/polling/local_waiters.hpp"

#include "holdfast/engine/answers.hpp"

#include <algorithm>

namespace holdfast::engine::redis {

using base::instant;

namespace {

constexpr base::milliseconds linger{1000};

} // namespace

void local_waiters::channel_waiters::drop_silent(instant now) {
    std::erase_if(waiters, [now](const local_waiter& each) {
        return now > each.asked + holdfast::engine::waiter_timeout;
    });
}

const local_waiters::channel_waiters* local_waiters::find(std::string_view channel) const {
    const auto found = queues_.find(channel);
    return found == queues_.end() ? nullptr : &found->second;
}

local_waiters::channel_waiters* local_waiters::find(std::string_view channel) {
    const auto found = queues_.find(channel);
    return found == queues_.end() ? nullptr : &found->second;
}

bool local_waiters::any(std::string_view channel) const {
    const auto* const found = find(channel);
    return found != nullptr && !found->waiters.empty();
}

std::size_t local_waiters::add(const std::string& channel, const std::string& name,
                               std::uint64_t number, instant now) {
    channel_waiters& queue = queues_[channel];
    queue.name = name;
    auto& waiters = queue.waiters;
    const auto found =
        std::find_if(waiters.begin(), waiters.end(),
                     [number](const local_waiter& each) { return each.number == number; });
    if (found != waiters.end()) {
        found->asked = now;
        return static_cast<std::size_t>(found - waiters.begin());
    }
    waiters.push_back({number, now});
    due_ = std::min(due_, now + holdfast::engine::waiter_timeout);
    return waiters.size() - 1;
}

void local_waiters::remove(channel_waiters& queue, std::uint64_t number, instant now) {
    std::erase_if(queue.waiters,
                  [number](const local_waiter& each) { return each.number == number; });
    if (queue.waiters.empty()) {
        queue.idle_since = now;
        due_ = std::min(due_, now + linger);
    }
}

void local_waiters::serve(std::string_view channel, std::uint64_t number, instant now) {
    if (auto* const queue = find(channel)) { remove(*queue, number, now); }
}

std::optional<std::uint64_t> local_waiters::leave(std::string_view channel, std::uint64_t number,
                                                  instant now) {
    auto* const queue = find(channel);
    if (queue == nullptr || queue->waiters.empty()) { return std::nullopt; }
    const bool was_first = queue->waiters.front().number == number;
    remove(*queue, number, now);
    if (!was_first || queue->waiters.empty()) { return std::nullopt; }
    return queue->waiters.front().number;
}

std::optional<std::uint64_t> local_waiters::first(std::string_view channel, instant now) {
    auto* const queue = find(channel);
    if (queue == nullptr) { return std::nullopt; }
    queue->drop_silent(now);
    if (queue->waiters.empty()) { return std::nullopt; }
    return queue->waiters.front().number;
}

std::vector<std::uint64_t> local_waiters::all(std::string_view channel) const {
    std::vector<std::uint64_t> out;
    if (const auto* const queue = find(channel)) {
        for (const auto& each : queue->waiters) { out.push_back(each.number); }
    }
    return out;
}

std::vector<local_waiters::idle_channel> local_waiters::take_idle(instant now) {
    std::vector<idle_channel> out;
    due_ = base::never;
    for (auto at = queues_.begin(); at != queues_.end();) {
        channel_waiters& queue = at->second;
        const bool had_some = !queue.waiters.empty();
        queue.drop_silent(now);
        if (had_some && queue.waiters.empty()) { queue.idle_since = now; }
        if (!queue.waiters.empty()) {
            due_ = std::min(due_, now + holdfast::engine::waiter_timeout);
        } else if (now < queue.idle_since + linger) {
            due_ = std::min(due_, queue.idle_since + linger);
        } else {
            out.push_back({at->first, queue.name});
            at = queues_.erase(at);
            continue;
        }
        ++at;
    }
    return out;
}

} // namespace holdfast::engine::redis
