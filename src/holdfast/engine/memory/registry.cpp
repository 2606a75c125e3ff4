// Which stores there are in this process.

#include "holdfast/base/process.hpp"
#include "holdfast/engine/memory/store.hpp"

#include <atomic>

namespace holdfast::engine::memory {

namespace {

struct registry {
    explicit registry(std::uint64_t made_in) : generation{made_in} {}
    const std::uint64_t generation;
    std::mutex guard;
    std::map<std::string, std::weak_ptr<store>> stores;
};

/// A child of fork() gets a registry of its own: the parent's may have been in use by a thread that
/// the child does not have, and its stores hold copies of locks that are the parent's. Never
/// destroyed: clients may outlive static objects.
registry& of_this_process() {
    static std::atomic<registry*> current{nullptr};
    const auto generation = base::process_generation();
    registry* seen = current.load(std::memory_order_acquire);
    while (seen == nullptr || seen->generation != generation) {
        auto fresh = std::make_unique<registry>(generation);
        if (current.compare_exchange_strong(seen, fresh.get(), std::memory_order_acq_rel)) {
            return *fresh.release();
        }
    }
    return *seen;
}

} // namespace

std::shared_ptr<store> store::named(const std::string& name) {
    registry& all = of_this_process();
    const std::lock_guard hold{all.guard};
    std::erase_if(all.stores, [](const auto& one) { return one.second.expired(); });
    std::weak_ptr<store>& known = all.stores[name];
    auto found = known.lock();
    if (found == nullptr) {
        found = std::make_shared<store>();
        known = found;
    }
    return found;
}

} // namespace holdfast::engine::memory
