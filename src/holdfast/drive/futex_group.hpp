#pragma once
// Threads that sleep on one futex word, and how they are woken: one call for many of them.

#include <atomic>
#include <climits>
#include <cstdint>

namespace holdfast::drive {

// The protocol is apart from its atomics so that a test can run it with a model of them, through
// every interleaving of its steps. Each member function of a Group is one step:
//
//   wakes()            how often threads of the group were woken
//   add_wake()         one more
//   has_rest()         whether there are slots that the next thread to come by is to wake
//   take_rest()        takes them over
//   add_rest(slots)
//   wait(wakes, slot)  FUTEX_WAIT_BITSET: returns at once if wakes() is another by now
//   wake(slots, most)  FUTEX_WAKE_BITSET: at most so many of those who wait with one of these bits

/// Blocks until `waiting` is false, which is to happen before `wake_in`.
template <typename Group, typename Waiting>
void sleep_in(Group& group, std::uint32_t slot, Waiting waiting) {
    while (true) {
        // Before anything else is looked at: if a wake-up comes after this, wait() returns at once.
        const auto seen = group.wakes();
        // A thread that was woken for nothing does it, too: it may have been the only one woken.
        if (group.has_rest()) { group.wake(group.take_rest(), INT_MAX); }
        if (!waiting()) { return; }
        group.wait(seen, slot);
    }
}

/// Wakes those who wait in `slots`. With `in_chain` only one of them: it wakes the others.
template <typename Group>
void wake_in(Group& group, std::uint32_t slots, bool in_chain) {
    // First of all, before the rest can be taken over: whoever does so wakes only threads that are
    // asleep by then. One that is about to sleep finds by the count that it must not.
    group.add_wake();
    if (in_chain) { group.add_rest(slots); }
    group.wake(slots, in_chain ? 1 : INT_MAX);
}

/// 32 slots; a thread sleeps in one of them.
class alignas(64) futex_group {
public:
    // Acquire and release: a thread that sees the new count also sees what it was woken for.
    [[nodiscard]] std::uint32_t wakes() const noexcept {
        return wakes_.load(std::memory_order_acquire);
    }
    void add_wake() noexcept { wakes_.fetch_add(1, std::memory_order_release); }

    // Acquire and release: by the time that a thread wakes the rest, everybody sees the new count.
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
    void wake(std::uint32_t slots, int most) noexcept;

private:
    std::atomic<std::uint32_t> wakes_{0}; ///< the futex word
    std::atomic<std::uint32_t> rest_{0};
};

} // namespace holdfast::drive
