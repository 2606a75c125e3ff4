#include "holdfast/engine/admission/list_queue.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace holdfast::engine::admission {

std::size_t owner_hash::operator()(const base::owner_id& owner) const noexcept {
    // Client ids are random already; only the number must be spread.
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::memcpy(&low, owner.client.bytes.data(), sizeof low);
    std::memcpy(&high, owner.client.bytes.data() + sizeof low, sizeof high);
    return static_cast<std::size_t>(low ^ (high << 1U) ^ (owner.number * 0x9e3779b97f4a7c15U));
}

const waiter* list_queue::front() { return order_.empty() ? nullptr : &order_.front().waiter; }

waiter list_queue::take() {
    assert(!order_.empty());
    waiter first = std::move(order_.front().waiter);
    by_owner_.erase(first.owner);
    order_.pop_front();
    return first;
}

void list_queue::push(waiter&& waiter) {
    const base::owner_id owner = waiter.owner;
    order_.push_back({next_serial_++, std::move(waiter)});
    try {
        [[maybe_unused]] const bool is_new =
            by_owner_.emplace(owner, std::prev(order_.end())).second;
        assert(is_new);
    } catch (...) {
        order_.pop_back(); // out of memory: nothing has changed
        throw;
    }
}

bool list_queue::touch(const base::owner_id& owner, base::instant alive_until) {
    const auto found = by_owner_.find(owner);
    if (found == by_owner_.end()) { return false; }
    found->second->waiter.alive_until = alive_until;
    return true;
}

bool list_queue::erase(const base::owner_id& owner) {
    const auto found = by_owner_.find(owner);
    if (found == by_owner_.end()) { return false; }
    order_.erase(found->second);
    by_owner_.erase(found);
    return true;
}

std::optional<unsigned> list_queue::ahead(const base::owner_id& owner) {
    const auto found = by_owner_.find(owner);
    if (found == by_owner_.end()) { return std::nullopt; }
    auto at = found->second;
    for (unsigned place = 0; place < exact_places; ++place, --at) {
        if (at == order_.begin()) { return place; }
    }
    // Waiters that left from the middle still count, but the result never exceeds the queue.
    const auto apart = found->second->serial - order_.front().serial;
    return static_cast<unsigned>(std::min<std::uint64_t>(apart, order_.size() - 1));
}

void list_queue::visit(const std::function<void(const waiter&)>& visitor) {
    for (const entry& item : order_) { visitor(item.waiter); }
}

unsigned list_queue::drop_dead(const moment& at) {
    unsigned gone = 0;
    for (auto it = order_.begin(); it != order_.end();) {
        if (at.dead(it->waiter)) {
            by_owner_.erase(it->waiter.owner);
            it = order_.erase(it);
            ++gone;
        } else {
            ++it;
        }
    }
    return gone;
}

} // namespace holdfast::engine::admission
