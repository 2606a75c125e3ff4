#pragma once
// Cancels a wait for the engine when a signal or a message of the front arrives.

#include "cli/event_fd.hpp"

#include <chrono>
#include <functional>
#include <stop_token>
#include <thread>
#include <vector>

namespace holdfast::cli {

struct interruption {
    std::vector<int> descriptors{}; ///< polled; readable when there may be an interruption
    /// Reads from the descriptors; true: cancel the wait. Called on the watching thread.
    std::function<bool()> read{};
    /// Called on the watching thread if the wait continues for `cancel_timeout` after that.
    std::function<void()> on_timeout{};
};

/// How long a cancelled command waits for the engine, so that it leaves nothing behind there.
/// Longer than a client takes to shut down.
inline constexpr std::chrono::milliseconds cancel_timeout{1'000};

/// Runs a thread that watches for the interruption until the destructor.
class interruption_watch {
public:
    /// Throws std::runtime_error if the system has no thread or descriptor left.
    explicit interruption_watch(interruption interruption);
    interruption_watch(const interruption_watch&) = delete;
    interruption_watch& operator=(const interruption_watch&) = delete;
    ~interruption_watch();

    /// The interruption requests this stop. A copy still tells so after the destructor.
    [[nodiscard]] std::stop_token stop() const { return stop_.get_token(); }

private:
    void watch();

    interruption interruption_;
    event_fd finished_;
    std::stop_source stop_;
    std::thread thread_;
};

} // namespace holdfast::cli
