#pragma once
// Takes, extends, shortens, releases and loses locks at random, and records what happened.

#include "history/recorder.hpp"
#include "support/timing.hpp"

#include <holdfast/holdfast.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <random>
#include <stop_token>
#include <string>

namespace holdfast::test {

/// Thread safety: `run` is one thread's; several takers may share a client and a history.
class random_taker {
public:
    /// The lock that it takes.
    static inline const std::array<std::string, 6> names{"a", "b", "c", "d", "e", "f"};

    struct counts {
        std::atomic<int> holds{0};
        std::atomic<int> extended{0}; ///< to more
        std::atomic<int> losses{0};
        std::atomic<int> failures{0}; ///< of acquires
    };

    random_taker(client& fleet, history::recorder& events, counts& seen, std::string label,
                 unsigned seed)
        : fleet_{fleet}, events_{events}, seen_{seen}, label_{std::move(label)}, random_{seed} {}

    /// Runs until a stop is requested; then it holds nothing.
    void run(const std::stop_token& stop);

private:
    void take_once(const std::stop_token& stop);
    [[nodiscard]] std::optional<lease> ask(milliseconds length);
    void hold(lease& held, const std::stop_token& stop);
    void extend(lease& held, milliseconds length);
    void rest(const lease& held, milliseconds least, milliseconds most,
              const std::stop_token& stop);
    void note_renewal(const lease& held);
    [[nodiscard]] milliseconds some(milliseconds least, milliseconds most);
    [[nodiscard]] int below(int end);

    client& fleet_;
    history::recorder& events_;
    counts& seen_;
    const std::string label_;
    std::minstd_rand random_;
    int rounds_ = 0;

    // Of the current hold.
    std::string name_;
    std::string owner_;
    history::stamp granted_at_{};
    history::stamp over_at_{};            ///< when it was last seen not to be valid
    milliseconds longest_{0};             ///< of its leases so far
    std::atomic<history::stamp> until_{}; ///< as it was written down
};

} // namespace holdfast::test
