// The stores of this process, by name.

#include "holdfast/base/process.hpp"
#include "holdfast/engine/memory/memory_store.hpp"

#include <atomic>

namespace holdfast::engine::memory {

namespace {

struct registry {
    explicit registry(std::uint64_t made_in) : generation{made_in} {}
    const std::uint64_t generation;
    std::mutex mutex;
    std::map<std::string, std::weak_ptr<memory_store>> stores;
};

/// A child of fork() gets a registry of its own: a thread that the child does not have may have
/// locked the parent's, and its stores hold copies of the parent's locks. Never destroyed: clients
/// may outlive static objects.
registry& process_registry() {
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

std::shared_ptr<memory_store> memory_store::find_or_make_store(const std::string& name) {
    registry& registry = process_registry();
    const std::lock_guard hold{registry.mutex};
    std::erase_if(registry.stores, [](const auto& entry) { return entry.second.expired(); });
    std::weak_ptr<memory_store>& known = registry.stores[name];
    auto found = known.lock();
    if (found == nullptr) {
        found = std::make_shared<memory_store>();
        known = found;
    }
    return found;
}

} // namespace holdfast::engine::memory
