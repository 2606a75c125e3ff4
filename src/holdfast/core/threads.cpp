#include "holdfast/core/threads.hpp"

#include "holdfast/core/client_core.hpp"

#include <atomic>
#include <vector>

namespace holdfast::core {

namespace {

std::atomic<std::uint64_t> last_thread_number{0};

struct watched_hold {
    std::uint64_t hash; ///< of the lock; its name is the hold's
    primitive kind;
    holdfast::layout layout;
    const client_core* client; ///< only compared, never dereferenced: the client may be gone
    const hold* key;
    std::weak_ptr<client_core> core;
    std::weak_ptr<hold> held;
};

class thread_record {
public:
    thread_record() noexcept
        : number_{last_thread_number.fetch_add(1, std::memory_order_relaxed) + 1} {}
    thread_record(const thread_record&) = delete;
    thread_record& operator=(const thread_record&) = delete;
    ~thread_record() {
        for (const auto& hold : holds_) {
            const auto core = hold.core.lock();
            const auto held = hold.held.lock();
            if (!core || !held || core->inherited()) { continue; }
            core->abandon(*held);
            core->recursion().forget_thread(number_);
        }
    }

    [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
    std::vector<watched_hold>& holds() noexcept { return holds_; }

private:
    std::uint64_t number_;
    std::vector<watched_hold> holds_;
};

thread_record& this_thread_record() noexcept {
    thread_local thread_record record;
    return record;
}

} // namespace

std::uint64_t this_thread() noexcept { return this_thread_record().number(); }

void watch_hold(const std::shared_ptr<client_core>& core, const lock_id& lock,
                const std::shared_ptr<hold>& held) {
    auto& holds = this_thread_record().holds();
    if (holds.size() == holds.capacity()) { // drops holds of locks that other threads destroyed
        std::erase_if(holds, [](const watched_hold& hold) { return hold.held.expired(); });
    }
    holds.push_back({lock.hash, lock.kind, lock.layout, core.get(), held.get(), core, held});
}

void forget_hold(const hold* held) noexcept {
    auto& holds = this_thread_record().holds();
    std::erase_if(holds, [held](const watched_hold& hold) { return hold.key == held; });
}

std::shared_ptr<hold> held_by_this_thread(const client_core& core, const lock_id& lock) noexcept {
    for (const auto& hold : this_thread_record().holds()) {
        if (hold.hash != lock.hash || hold.client != &core) { continue; }
        if (hold.kind != lock.kind || hold.layout != lock.layout) { continue; }
        auto held = hold.held.lock();
        if (held && held->ticket().name == lock.name && held->valid()) { return held; }
    }
    return nullptr;
}

} // namespace holdfast::core
