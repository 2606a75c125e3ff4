#pragma once
// Waiters for one lock, each with connections and a thread of its own, spread over processes.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <sys/types.h>
#include <vector>

namespace holdfast::bench::redis {

class waiter {
public:
    waiter() = default;
    waiter(const waiter&) = delete;
    waiter& operator=(const waiter&) = delete;
    virtual ~waiter() = default;
    virtual void take() = 0;
    virtual void pass() = 0; ///< releases what take() acquired
};

/// Makes a waiter that is connected.
using make_waiter = std::function<std::unique_ptr<waiter>()>;

enum class waiter_mode { looping, once };

/// The waiters start with go(). The constructor forks, so this process must have no other threads.
/// Every function throws std::runtime_error if a waiter fails or hangs.
class crowd {
public:
    static constexpr std::size_t max_waiters = 1'000;
    static constexpr std::size_t processes = 4;

    crowd(std::size_t size, waiter_mode waiter_mode,
          const make_waiter& make); ///< returns when all are ready
    crowd(const crowd&) = delete;
    crowd& operator=(const crowd&) = delete;
    ~crowd(); ///< kills the processes

    void go();
    void stop(); ///< ends the loops; returns when each waiter has finished its turn
    /// How often each waiter has taken the lock so far.
    [[nodiscard]] std::vector<std::uint64_t> taken() const;
    /// Waits until all have released for the last time. Returns when that was, as now_ns().
    std::int64_t all_done();

private:
    struct shared_state;
    [[noreturn]] void run_process(std::size_t index, waiter_mode waiter_mode,
                                  const make_waiter& make);
    void serve(std::size_t index, waiter_mode waiter_mode, const make_waiter& make);
    void wait_for(const std::function<bool()>& done) const;

    std::size_t size_;
    shared_state& shared_state_;
    std::vector<::pid_t> children_;
};

[[nodiscard]] std::int64_t now_ns() noexcept; ///< the same in all processes

} // namespace holdfast::bench::redis
