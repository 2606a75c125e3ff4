#include "holdfast/drive/futex_pool.hpp"

#include <algorithm>
#include <bit>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace holdfast::drive {

// Not std::atomic::wait: it spins and yields before it sleeps, which costs more than it saves when
// many callers share two cores, and it wakes one thread at a time. Each wake-up is a system call
// after which the waker often loses its cpu to the woken thread, so one call for many pays.

namespace {

constexpr std::uint32_t full = ~std::uint32_t{0};

constexpr std::size_t cpu_groups = futex_pool::groups / futex_pool::groups_per_cpu;

std::size_t this_cpu_group() noexcept {
    return static_cast<std::size_t>(std::max(::sched_getcpu(), 0)) % cpu_groups;
}

} // namespace

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

void futex_group::wait(std::uint32_t wakes, std::uint32_t slot) noexcept {
    ::syscall(SYS_futex, &wakes_, FUTEX_WAIT_BITSET_PRIVATE, wakes, nullptr, nullptr, slot);
}

void futex_group::wake(std::uint32_t slots, int max_count) noexcept {
    if (slots == 0) { return; }
    ::syscall(SYS_futex, &wakes_, FUTEX_WAKE_BITSET_PRIVATE, max_count, nullptr, nullptr, slots);
}

void futex_pool::assign_slot(sleeper& sleeper) noexcept {
    const auto first = this_cpu_group() * groups_per_cpu;
    const auto last = (first + groups - 1) % groups;
    auto at = first;
    while (taken_.at(at) == full && at != last) { at = (at + 1) % groups; }
    const auto slot = taken_.at(at) == full
                          ? next_shared_++ % slots_per_group
                          : static_cast<std::uint32_t>(std::countr_one(taken_.at(at)));
    taken_.at(at) |= 1U << slot;
    sleeper.slot_ = static_cast<std::uint32_t>(at) * slots_per_group + slot;
}

void futex_pool::call(const sleeper& sleeper) noexcept {
    const std::uint32_t slot = 1U << sleeper.slot_ % slots_per_group;
    calls_.at(sleeper.slot_ / slots_per_group) |= slot;
    taken_.at(sleeper.slot_ / slots_per_group) &= ~slot;
    called_ = true;
}

futex_pool::calls futex_pool::take_calls() noexcept {
    called_ = false;
    return std::exchange(calls_, {});
}

void futex_pool::sleep(const sleeper& sleeper) noexcept {
    sleep_in(groups_.at(sleeper.slot_ / slots_per_group), 1U << sleeper.slot_ % slots_per_group,
             [&sleeper] { return sleeper.waiting(); });
}

void futex_pool::wake(const calls& slots_by_group) noexcept {
    const auto here = this_cpu_group();
    for (std::size_t at = 0; at < groups; ++at) {
        const auto slots = slots_by_group.at(at);
        if (slots == 0) { continue; }
        const bool in_chain = at / groups_per_cpu != here && !std::has_single_bit(slots);
        wake_in(groups_.at(at), slots, in_chain);
    }
}

} // namespace holdfast::drive
