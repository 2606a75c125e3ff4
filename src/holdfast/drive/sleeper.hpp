#pragma once
// Callers that block, and how they are woken: many at once, with few system calls.

#include "holdfast/drive/futex_group.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace holdfast::drive {

/// A caller that blocks until its participant has something for it. Lives on the caller's stack.
/// Once it is ready nobody else touches it or what it waited for, so that its thread goes on
/// without the driver's lock.
class sleeper {
public:
    enum class state : std::uint8_t {
        waiting,
        chosen, ///< it is to drive the engine now
        ready,  ///< what it waits for has happened
    };

    [[nodiscard]] bool ready() const noexcept {
        return state_.load(std::memory_order_acquire) == state::ready;
    }
    [[nodiscard]] bool waiting() const noexcept {
        return state_.load(std::memory_order_acquire) == state::waiting;
    }
    void set(state what) noexcept { state_.store(what, std::memory_order_release); }

private:
    friend class followers;
    friend class futex_pool;
    std::atomic<state> state_{state::waiting};
    bool follows_ = false;
    std::uint32_t slot_ = 0;    ///< in the futex_pool
    sleeper* before_ = nullptr; ///< among the followers; likewise the next
    sleeper* after_ = nullptr;
};

/// Those who wait for whoever drives the engine, in the order in which they came.
///
/// Thread safety: none.
class followers {
public:
    [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
    [[nodiscard]] std::size_t size() const noexcept { return count_; }
    [[nodiscard]] sleeper& first() const noexcept { return *first_; }
    [[nodiscard]] static bool has(const sleeper& sleeper) noexcept { return sleeper.follows_; }
    void add(sleeper& sleeper) noexcept;
    void remove(sleeper& sleeper) noexcept;

private:
    sleeper* first_ = nullptr;
    sleeper* last_ = nullptr;
    std::size_t count_ = 0;
};

/// A pool of futex slots: 32 threads share a futex word, and one FUTEX_WAKE_BITSET wakes those of
/// them that were called. A thread sleeps in a group of the cpu that it ran on last, while that has
/// free slots; in a group of another cpu the waker wakes one thread only, which wakes the others
/// from there (docs/decisions/0012). When the pool is full, slots are shared, which only causes
/// spurious wake-ups.
class futex_pool {
public:
    static constexpr std::size_t groups = 32;
    static constexpr std::size_t groups_per_cpu = 4;
    static constexpr std::uint32_t slots_per_group = 32;
    using calls = std::array<std::uint32_t, groups>; ///< by group, a bit for each slot

    // Under the driver's lock.
    void assign_slot(sleeper& sleeper) noexcept;
    void call(const sleeper& sleeper) noexcept;
    [[nodiscard]] bool called() const noexcept { return called_; }
    [[nodiscard]] calls take_calls() noexcept;

    /// Blocks until it is called. REQUIRES: it has a slot.
    void sleep(const sleeper& sleeper) noexcept;
    /// Best without the lock, or those who wake up would run into it.
    void wake(const calls& slots_by_group) noexcept;

private:
    std::array<futex_group, groups> groups_{};
    calls taken_{};
    std::uint32_t next_shared_ = 0;
    calls calls_{};
    bool called_ = false;
};

} // namespace holdfast::drive
