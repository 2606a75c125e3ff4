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

class thread_record;

/// Outlives the thread_record, because it is trivially destructible: the destructors of static
/// objects, and of thread_local ones that were made earlier, may still use locks.
struct thread_state {
    std::uint64_t number = 0;
    thread_record* record = nullptr;
    bool ended = false; ///< the record was destroyed
};

thread_local constinit thread_state current_thread;

class thread_record {
public:
    explicit thread_record(thread_state& state) noexcept : state_{state} {}
    thread_record(const thread_record&) = delete;
    thread_record& operator=(const thread_record&) = delete;
    ~thread_record() {
        state_.record = nullptr;
        state_.ended = true;
        for (const auto& hold : holds) {
            const auto core = hold.core.lock();
            const auto held = hold.held.lock();
            if (!core || !held || core->inherited()) { continue; }
            core->abandon(*held);
            core->recursion().forget_thread(state_.number);
        }
    }

    std::vector<watched_hold> holds;

private:
    thread_state& state_;
};

/// Null: the thread is ending.
thread_record* this_thread_record() noexcept {
    auto& state = current_thread;
    if (state.record == nullptr && !state.ended) {
        thread_local thread_record record{state};
        state.record = &record;
    }
    return state.record;
}

} // namespace

std::uint64_t this_thread() noexcept {
    auto& number = current_thread.number;
    if (number == 0) { number = last_thread_number.fetch_add(1, std::memory_order_relaxed) + 1; }
    return number;
}

void watch_hold(const std::shared_ptr<client_core>& core, const lock_id& lock,
                const std::shared_ptr<hold>& held) {
    auto* const record = this_thread_record();
    if (record == nullptr) { return; }
    auto& holds = record->holds;
    if (holds.size() == holds.capacity()) { // drops holds of locks that other threads destroyed
        std::erase_if(holds, [](const watched_hold& hold) { return hold.held.expired(); });
    }
    holds.push_back({lock.hash, lock.kind, lock.layout, core.get(), held.get(), core, held});
}

void forget_hold(const hold* held) noexcept {
    auto* const record = this_thread_record();
    if (record == nullptr) { return; }
    auto& holds = record->holds;
    if (!holds.empty() && holds.back().key == held) { return holds.pop_back(); } // the usual order
    std::erase_if(holds, [held](const watched_hold& hold) { return hold.key == held; });
}

std::shared_ptr<hold> held_by_this_thread(const client_core& core, const lock_id& lock) noexcept {
    auto* const record = this_thread_record();
    if (record == nullptr) { return nullptr; }
    for (const auto& hold : record->holds) {
        if (hold.hash != lock.hash || hold.client != &core) { continue; }
        if (hold.kind != lock.kind || hold.layout != lock.layout) { continue; }
        auto held = hold.held.lock();
        if (held && held->ticket().name == lock.name && held->valid()) { return held; }
    }
    return nullptr;
}

} // namespace holdfast::core
