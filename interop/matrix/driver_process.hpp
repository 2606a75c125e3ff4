#pragma once
// A driver (interop/PROTOCOL.md) as a child process: sends requests and receives answers, in any
// order, each with the time of its arrival.

#include "holdfast/base/fd.hpp"
#include "support/timing.hpp"

#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace holdfast::interop {

using test::milliseconds;
using words = std::vector<std::string>;
using instant = std::chrono::steady_clock::time_point;

struct answer {
    std::string text; ///< without its number; "gone": the driver ended before it answered
    instant at;
};

/// A request that was sent.
class pending {
public:
    explicit pending(std::future<answer> later) : later_{later.share()} {}

    [[nodiscard]] bool answered_within(milliseconds span) const {
        return later_.wait_for(span) == std::future_status::ready;
    }
    /// "no answer": not even after a long time.
    [[nodiscard]] std::string text(milliseconds within = 2 * test::long_wait) const {
        return answered_within(within) ? later_.get().text : "no answer";
    }
    /// REQUIRES: it was answered.
    [[nodiscard]] instant at() const { return later_.get().at; }

private:
    std::shared_future<answer> later_;
};

/// Ends with this object, and with the thread that made it (PR_SET_PDEATHSIG): make it on the main
/// one. Thread safety: `start` and `ask` may be called from any thread.
class driver_process {
public:
    explicit driver_process(words command);
    driver_process(const driver_process&) = delete;
    driver_process& operator=(const driver_process&) = delete;
    ~driver_process();

    pending start(const std::string& request);
    std::string ask(const std::string& request) { return start(request).text(); }

    /// SIGKILL; it is gone when this returns.
    void kill();

private:
    void read_answers();
    void take(const std::string& line, instant at);

    ::pid_t pid_ = 0; ///< 0: none
    base::fd input_;
    base::fd output_;
    std::mutex mutex_;
    long last_number_ = 0;
    std::map<std::string, std::promise<answer>> waiting_;
    bool gone_ = false;
    std::thread reader_; // last: it uses all
};

} // namespace holdfast::interop
