#include "holdfast/drive/sleeper.hpp"

#include <climits>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace holdfast::drive {

// Futexes by hand: std::atomic::wait spins and yields before it sleeps, which costs more than it
// saves when many callers share two cores, and wakes one at a time. A wake-up is a system call, and
// the waker is apt to lose its cpu to whom it has just woken; so one call for many is worth a lot.

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

void followers::add(sleeper& who) noexcept {
    who.follows_ = true;
    who.before_ = last_;
    who.after_ = nullptr;
    (last_ == nullptr ? first_ : last_->after_) = &who;
    last_ = &who;
    ++count_;
}

void followers::remove(sleeper& who) noexcept {
    who.follows_ = false;
    (who.before_ == nullptr ? first_ : who.before_->after_) = who.after_;
    (who.after_ == nullptr ? last_ : who.after_->before_) = who.before_;
    --count_;
}

void dormitory::call(const sleeper& who) noexcept {
    calls_.at(who.bed_ / beds_in_row) |= 1U << who.bed_ % beds_in_row;
    called_ = true;
}

dormitory::calls dormitory::take_calls() noexcept {
    called_ = false;
    return std::exchange(calls_, {});
}

void dormitory::sleep(const sleeper& who) noexcept {
    auto& times = rows_.at(who.bed_ / beds_in_row).times;
    const std::uint32_t bed = 1U << who.bed_ % beds_in_row;
    while (true) {
        // In this order: if it is called in between, the number is not the same any more.
        const auto seen = times.load(std::memory_order_acquire);
        if (!who.waiting()) { return; }
        ::syscall(SYS_futex, &times, FUTEX_WAIT_BITSET_PRIVATE, seen, nullptr, nullptr, bed);
    }
}

void dormitory::wake(const calls& whom) noexcept {
    for (std::size_t at = 0; at < rows; ++at) {
        if (whom.at(at) == 0) { continue; }
        auto& times = rows_.at(at).times;
        times.fetch_add(1, std::memory_order_release);
        ::syscall(SYS_futex, &times, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, nullptr, nullptr,
                  whom.at(at));
    }
}

} // namespace holdfast::drive
