#include "holdfast/drive/participant.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace holdfast::drive {

// A futex by hand: std::atomic::wait spins and yields before it sleeps, which costs more than it
// saves when many callers share two cores.

static_assert(sizeof(std::atomic<sleeper::state>) == sizeof(std::uint32_t));

void sleeper::sleep() noexcept {
    while (state_.load(std::memory_order_acquire) == state::waiting) {
        ::syscall(SYS_futex, &state_, FUTEX_WAIT_PRIVATE, state::waiting, nullptr, nullptr, 0);
    }
}

void sleeper::wake(const sleeper* who) noexcept {
    ::syscall(SYS_futex, &who->state_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

} // namespace holdfast::drive
