#pragma once
// Up to 32 threads that sleep on one futex word; one system call wakes any subset of them.

#include <atomic>
#include <climits>
#include <cstdint>

namespace holdfast::drive {

// The protocol is a template over its atomics, so that a test can run it on a model of them through
// every interleaving of its steps. Each member function of a Group is one step:
//
//   wakes()                 how often threads of the group were woken
//   add_wake()              increments that
//   has_rest()              whether some slots still have to be woken by a thread of the group
//   take_rest()             returns these slots and clears them
//   add_rest(slots)         adds slots to them
//   wait(wakes, slot)       FUTEX_WAIT_BITSET: returns at once if wakes() has changed
//   wake(slots, max_count)  FUTEX_WAKE_BITSET: wakes at most so many threads of these slots

/// Blocks until `waiting` returns false. The waker changes that before it calls `wake_in`.
template <typename Group, typename Waiting>
void sleep_in(Group& group, std::uint32_t slot, Waiting waiting) {
    while (true) {
        // Read first: if a wake-up comes after this, wait() returns at once.
        const auto seen = group.wakes();
        // Also after a spurious wake-up: this thread may be the only one that was woken.
        if (group.has_rest()) { group.wake(group.take_rest(), INT_MAX); }
        if (!waiting()) { return; }
        group.wait(seen, slot);
    }
}

/// Wakes the threads in `slots`. With `in_chain` it wakes one of them, which wakes the others.
template <typename Group>
void wake_in(Group& group, std::uint32_t slots, bool in_chain) {
    // Before add_rest(): the thread that takes the rest wakes only threads that are asleep by then.
    // A thread that is about to sleep sees the changed count and does not sleep.
    group.add_wake();
    if (in_chain) { group.add_rest(slots); }
    group.wake(slots, in_chain ? 1 : INT_MAX);
}

/// 32 slots; a thread sleeps in one of them.
class alignas(64) futex_group {
public:
    // Acquire and release: a thread that sees the new count also sees that it is ready.
    [[nodiscard]] std::uint32_t wakes() const noexcept {
        return wakes_.load(std::memory_order_acquire);
    }
    void add_wake() noexcept { wakes_.fetch_add(1, std::memory_order_release); }

    // Acquire and release: when a thread wakes the rest, the new count is visible to all.
    [[nodiscard]] bool has_rest() const noexcept {
        return rest_.load(std::memory_order_relaxed) != 0;
    }
    [[nodiscard]] std::uint32_t take_rest() noexcept {
        return rest_.exchange(0, std::memory_order_acquire);
    }
    void add_rest(std::uint32_t slots) noexcept {
        rest_.fetch_or(slots, std::memory_order_release);
    }

    void wait(std::uint32_t wakes, std::uint32_t slot) noexcept;
    void wake(std::uint32_t slots, int max_count) noexcept;

private:
    std::atomic<std::uint32_t> wakes_{0}; ///< the futex word
    std::atomic<std::uint32_t> rest_{0};
};

} // namespace holdfast::drive
