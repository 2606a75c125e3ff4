#pragma once
// Callers that block, and how they are woken: many at once, with few system calls.

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
    friend class dormitory;
    std::atomic<state> state_{state::waiting};
    bool follows_ = false;
    std::uint32_t bed_ = 0;
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
    [[nodiscard]] static bool has(const sleeper& who) noexcept { return who.follows_; }
    void add(sleeper& who) noexcept;
    void remove(sleeper& who) noexcept;

private:
    sleeper* first_ = nullptr;
    sleeper* last_ = nullptr;
    std::size_t count_ = 0;
};

/// Where they sleep: in rows of beds, those who came from one cpu in its hall while that has beds.
/// Whoever is to be woken in a row is woken by one call; in the hall of another cpu that wakes only
/// one, who wakes the rest of the row from there (docs/decisions/0012). Two in one bed, if all are
/// taken, only wake one another for nothing.
class dormitory {
public:
    static constexpr std::size_t rows = 32;
    static constexpr std::size_t rows_in_hall = 4;
    static constexpr std::uint32_t beds_in_row = 32;
    using calls = std::array<std::uint32_t, rows>; ///< by row, a bit for each bed

    // Under the driver's lock.
    void give_bed(sleeper& who) noexcept;
    void call(const sleeper& who) noexcept;
    [[nodiscard]] bool called() const noexcept { return called_; }
    [[nodiscard]] calls take_calls() noexcept;

    /// Blocks until it is called; it has a bed.
    void sleep(const sleeper& who) noexcept;
    /// Best without the lock, or those who wake up would run into it.
    void wake(const calls& whom) noexcept;

private:
    struct alignas(64) row {
        void wake(std::uint32_t beds, int most) noexcept;

        std::atomic<std::uint32_t> times{0};      ///< that somebody was woken in it
        std::atomic<std::uint32_t> to_wake_up{0}; ///< beds whom the first to wake up wakes
    };

    std::array<row, rows> rows_{};
    calls taken_{};
    std::uint32_t next_shared_ = 0;
    calls calls_{};
    bool called_ = false;
};

} // namespace holdfast::drive
