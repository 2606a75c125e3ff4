#pragma once
// A caller that blocks until its participant has a result.

#include <atomic>
#include <cstdint>

namespace holdfast::drive {

/// Lives on the caller's stack. Once it is ready, no other thread accesses it or the result, so its
/// thread continues without the driver's lock.
///
/// Thread safety: `ready`, `waiting` and `set` from any thread, the rest under the driver's lock.
class sleeper {
public:
    enum class state : std::uint8_t {
        waiting,
        chosen, ///< it has to take the lead
        ready,  ///< its result is complete
    };

    [[nodiscard]] bool ready() const noexcept {
        return state_.load(std::memory_order_acquire) == state::ready;
    }
    [[nodiscard]] bool waiting() const noexcept {
        return state_.load(std::memory_order_acquire) == state::waiting;
    }
    void set(state next) noexcept { state_.store(next, std::memory_order_release); }

private:
    friend class followers;
    friend class futex_pool;
    std::atomic<state> state_{state::waiting};
    bool follows_ = false;
    std::uint32_t slot_ = 0;      ///< in the futex_pool
    sleeper* previous_ = nullptr; ///< among the followers
    sleeper* next_ = nullptr;     ///< among the followers
};

} // namespace holdfast::drive
