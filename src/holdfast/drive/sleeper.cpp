#include "holdfast/drive/sleeper.hpp"

#include <algorithm>
#include <bit>
#include <climits>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace holdfast::drive {

// Futexes by hand: std::atomic::wait spins and yields before it sleeps, which costs more than it
// saves when many callers share two cores, and wakes one at a time. A wake-up is a system call, and
// the waker is apt to lose its cpu to whom it has just woken; so one call for many is worth a lot.

namespace {

constexpr std::uint32_t full = ~std::uint32_t{0};

constexpr std::size_t halls = dormitory::rows / dormitory::rows_in_hall;

std::size_t hall_of_this_cpu() noexcept {
    return static_cast<std::size_t>(std::max(::sched_getcpu(), 0)) % halls;
}

} // namespace

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

void dormitory::give_bed(sleeper& who) noexcept {
    const auto first = hall_of_this_cpu() * rows_in_hall;
    const auto last = (first + rows - 1) % rows;
    auto at = first;
    while (taken_.at(at) == full && at != last) { at = (at + 1) % rows; }
    const auto bed = taken_.at(at) == full
                         ? next_shared_++ % beds_in_row
                         : static_cast<std::uint32_t>(std::countr_one(taken_.at(at)));
    taken_.at(at) |= 1U << bed;
    who.bed_ = static_cast<std::uint32_t>(at) * beds_in_row + bed;
}

void dormitory::call(const sleeper& who) noexcept {
    const std::uint32_t bed = 1U << who.bed_ % beds_in_row;
    calls_.at(who.bed_ / beds_in_row) |= bed;
    taken_.at(who.bed_ / beds_in_row) &= ~bed;
    called_ = true;
}

dormitory::calls dormitory::take_calls() noexcept {
    called_ = false;
    return std::exchange(calls_, {});
}

void dormitory::sleep(const sleeper& who) noexcept {
    auto& here = rows_.at(who.bed_ / beds_in_row);
    const std::uint32_t bed = 1U << who.bed_ % beds_in_row;
    while (true) {
        // In this order: if it is called in between, the number is not the same any more.
        const auto seen = here.times.load(std::memory_order_acquire);
        // Also who was woken for nothing: it may have been the only one.
        if (here.to_wake_up.load(std::memory_order_relaxed) != 0) {
            here.wake(here.to_wake_up.exchange(0, std::memory_order_relaxed), INT_MAX);
        }
        if (!who.waiting()) { return; }
        ::syscall(SYS_futex, &here.times, FUTEX_WAIT_BITSET_PRIVATE, seen, nullptr, nullptr, bed);
    }
}

void dormitory::wake(const calls& whom) noexcept {
    const auto hall = hall_of_this_cpu();
    for (std::size_t at = 0; at < rows; ++at) {
        const auto beds = whom.at(at);
        if (beds == 0) { continue; }
        const bool leave_to_them = at / rows_in_hall != hall && !std::has_single_bit(beds);
        auto& there = rows_.at(at);
        if (leave_to_them) { there.to_wake_up.fetch_or(beds, std::memory_order_relaxed); }
        there.times.fetch_add(1, std::memory_order_release);
        there.wake(beds, leave_to_them ? 1 : INT_MAX);
    }
}

void dormitory::row::wake(std::uint32_t beds, int most) noexcept {
    if (beds == 0) { return; }
    ::syscall(SYS_futex, &times, FUTEX_WAKE_BITSET_PRIVATE, most, nullptr, nullptr, beds);
}

} // namespace holdfast::drive
