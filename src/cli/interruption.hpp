#pragma once
// What ends a wait for the engine from outside: a signal, or a word from the front.

#include "cli/bell.hpp"

#include <chrono>
#include <functional>
#include <stop_token>
#include <thread>
#include <vector>

namespace holdfast::cli {

struct interruption {
    std::vector<int> descriptors{}; ///< there is something to read
    /// Reads it; true: the wait is to end. Called by the thread that watches.
    std::function<bool()> arrived{};
    /// Called by that thread if the wait is not over `patience` after the interruption.
    std::function<void()> impatient{};
};

/// How long one who was asked to end waits for the engine, so that it leaves nothing behind there.
/// Longer than a client that goes away does.
inline constexpr std::chrono::milliseconds patience{1'000};

/// While it lives, a thread looks out for the interruption.
class interruption_watch {
public:
    /// Throws std::system_error if there is no thread or descriptor to be had.
    explicit interruption_watch(interruption by);
    interruption_watch(const interruption_watch&) = delete;
    interruption_watch& operator=(const interruption_watch&) = delete;
    ~interruption_watch();

    /// Stop is requested by the interruption. After the destructor it says whether there was one.
    [[nodiscard]] std::stop_token stop() const { return stop_.get_token(); }

private:
    void watch();

    interruption by_;
    bell over_;
    std::stop_source stop_;
    std::thread thread_;
};

} // namespace holdfast::cli
