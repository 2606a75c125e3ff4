#include "holdfast/engine/embedded/table_queue.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace holdfast::engine::embedded {

const admission::waiter* table_queue::front() {
    if (!front_) { front_ = tables_.first_waiter(row_.id); }
    return front_ ? &front_->waiter : nullptr;
}

admission::waiter table_queue::take() {
    [[maybe_unused]] const auto* const first = front();
    assert(first != nullptr);
    tables_.remove_waiter(row_.id, front_->seq);
    admission::waiter taken = std::move(front_->waiter);
    front_.reset();
    return taken;
}

void table_queue::push(admission::waiter&& waiter) {
    assert(row_.id != 0);
    tables_.push_waiter(row_.id, waiter);
}

bool table_queue::touch(const base::owner_id& owner, base::instant alive_until) {
    if (!tables_.touch_waiter(row_.id, owner, alive_until)) { return false; }
    if (front_ && front_->waiter.owner == owner) { front_->waiter.alive_until = alive_until; }
    return true;
}

bool table_queue::erase(const base::owner_id& owner) {
    front_.reset();
    return tables_.remove_waiter(row_.id, owner);
}

std::optional<unsigned> table_queue::ahead(const base::owner_id& owner) {
    const auto seq = tables_.seq_of(row_.id, owner);
    if (!seq) { return std::nullopt; }
    const auto counted = tables_.waiters_before(row_.id, *seq, exact_places);
    if (counted < exact_places || front() == nullptr) { return static_cast<unsigned>(counted); }
    // Further back the difference of the numbers is an upper bound (it counts waiters that left
    // from the middle), without reading a queue of thousands.
    return static_cast<unsigned>(
        std::min<std::int64_t>(*seq - front_->seq, std::max(row_.state.waiting, 1U) - 1U));
}

void table_queue::visit(const std::function<void(const admission::waiter&)>& visitor) {
    for (const auto& each : tables_.waiters(row_.id)) { visitor(each.waiter); }
}

unsigned table_queue::drop_dead(const admission::moment& at) {
    unsigned gone = 0;
    for (const auto& each : tables_.waiters(row_.id)) {
        if (at.dead(each.waiter)) {
            tables_.remove_waiter(row_.id, each.seq);
            ++gone;
        }
    }
    front_.reset();
    return gone;
}

} // namespace holdfast::engine::embedded
