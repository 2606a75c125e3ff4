#pragma once
// A pool of futexes for blocked callers: few system calls wake many of them.

#include "holdfast/drive/futex_group.hpp"
#include "holdfast/drive/sleeper.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace holdfast::drive {

/// A pool of futex slots: 32 threads share a futex word, and one FUTEX_WAKE_BITSET wakes those of
/// them that were called. A thread sleeps in a group of the cpu that it ran on last, while that has
/// free slots; in a group of another cpu the waker wakes one thread only, which wakes the others
/// from there (docs/decisions/0012). When the pool is full, slots are shared, which only causes
/// spurious wake-ups.
///
/// Thread safety: `sleep` and `wake` from any thread, the rest under the driver's lock.
class futex_pool {
public:
    static constexpr std::size_t groups = 32;
    static constexpr std::size_t groups_per_cpu = 4;
    static constexpr std::uint32_t slots_per_group = 32;
    using calls = std::array<std::uint32_t, groups>; ///< by group, a bit for each slot

    void assign_slot(sleeper& sleeper) noexcept;
    /// Marks the sleeper: the next `wake` wakes it.
    void call(const sleeper& sleeper) noexcept;
    [[nodiscard]] bool called() const noexcept { return called_; }
    [[nodiscard]] calls take_calls() noexcept;

    /// Blocks until the sleeper is called. REQUIRES: it has a slot.
    void sleep(const sleeper& sleeper) noexcept;
    /// Call it after unlocking the driver's lock, which the woken threads may need.
    void wake(const calls& slots_by_group) noexcept;

private:
    std::array<futex_group, groups> groups_{};
    calls taken_{};
    std::uint32_t next_shared_ = 0;
    calls calls_{};
    bool called_ = false;
};

} // namespace holdfast::drive
