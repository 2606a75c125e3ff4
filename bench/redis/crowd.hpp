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
    virtual void pass() = 0; ///< gives up what was taken
};

/// Makes a waiter, which is connected when this returns.
using make_waiter = std::function<std::unique_ptr<waiter>()>;

enum class manner { looping, once };

/// They begin when they are told to. A crowd is made while this process has no other threads: it
/// forks. Every function throws std::runtime_error if a waiter fails or nothing moves for long.
class crowd {
public:
    static constexpr std::size_t most = 1'000;
    static constexpr std::size_t processes = 4;

    crowd(std::size_t size, manner manner, const make_waiter& make); ///< returns when all are ready
    crowd(const crowd&) = delete;
    crowd& operator=(const crowd&) = delete;
    ~crowd(); ///< ends the processes, whatever they do

    void go();
    void stop(); ///< looping ones end when each has had its turn; returns when they have
    /// How often each has taken it so far.
    [[nodiscard]] std::vector<std::uint64_t> taken() const;
    /// Until all have passed it on for the last time; when that was, as now_ns() has it.
    std::int64_t all_done();

private:
    struct board;
    [[noreturn]] void be_a_process(std::size_t which, manner manner, const make_waiter& make);
    void serve(std::size_t which, manner manner, const make_waiter& make);
    void wait_for(const std::function<bool()>& done) const;

    std::size_t size_;
    board& board_;
    std::vector<::pid_t> children_;
};

[[nodiscard]] std::int64_t now_ns() noexcept; ///< the same in all processes

} // namespace holdfast::bench::redis
