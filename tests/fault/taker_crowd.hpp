#pragma once
// Processes that take a lock over and over while a test harms them and their servers; their
// history is checked.

#include "history/checker.hpp"
#include "history/recorder.hpp"
#include "process/taker_process.hpp"
#include "support/scratch_folder.hpp"
#include "support/timing.hpp"

#include <memory>
#include <random>
#include <string>
#include <vector>

namespace holdfast::test {

struct taker_crowd_options {
    std::string url{};
    std::vector<std::string> names{"stock"}; ///< of the locks; each taker has one of them
    milliseconds lease{2000};
    milliseconds pause{3}; ///< at most, between two holds of a taker
    std::size_t size = 16;
    unsigned seed = 1;
};

/// Thread safety: none.
class taker_crowd {
public:
    explicit taker_crowd(taker_crowd_options options);

    /// Starts as many as are missing. A taker ends when its patience with an outage does.
    void fill_up();
    /// Kills one, or stops one for up to `longest`.
    void kill_some();
    void stop_some(milliseconds longest);
    /// Starts one more, and stops it as soon as it holds the lock. False: it does not get it.
    [[nodiscard]] bool freeze_holder(milliseconds lease);
    /// Resumes it: it tries to write, releases the lock if it still can, and ends.
    void thaw_holder();
    /// Kills all. Returns what the checker finds wrong with their history (P1, P2, P3, P4).
    [[nodiscard]] std::string finish();
    [[nodiscard]] std::ptrdiff_t holds() const noexcept { return holds_; } ///< after finish()

    /// A random number from 0 to end - 1.
    [[nodiscard]] int below(int end) {
        return std::uniform_int_distribution<int>{0, end - 1}(random_);
    }

private:
    [[nodiscard]] std::string file(const std::string& name) const;
    /// The options of all takers of this name, and these.
    [[nodiscard]] std::unique_ptr<taker_process> start(milliseconds lease, std::size_t name,
                                                       std::vector<std::string> more);
    [[nodiscard]] taker_process& some();

    const taker_crowd_options options_;
    std::minstd_rand random_;
    const scratch_folder folder_;
    history::recorder events_;
    std::vector<std::unique_ptr<taker_process>> all_;
    std::unique_ptr<taker_process> frozen_; ///< not among all_
    int started_ = 0;
    std::ptrdiff_t holds_ = 0;
};

} // namespace holdfast::test
