#pragma once
// Prints who holds the lock that `run -v` waits for, or why nobody gets it.

#include "cli/run_settings.hpp"

#include <holdfast/client.hpp>

#include <memory>

namespace holdfast::cli {

/// Queries the engine on a thread and a client of its own, so that an engine that does not answer
/// delays nobody: the destructor detaches from the thread, which prints nothing after that.
class wait_reporter {
public:
    /// `enabled`: with -v prints after 50 ms, and then every 10 s. Otherwise looks once, after a
    /// second, and prints only if the engine grants the lock to nobody.
    wait_reporter(const run_settings& settings, bool enabled);
    wait_reporter(const wait_reporter&) = delete;
    wait_reporter& operator=(const wait_reporter&) = delete;
    ~wait_reporter();

    /// The thread prints nothing any more.
    void stop();

private:
    struct shared_state;
    static void run(const std::shared_ptr<shared_state>& shared);

    std::shared_ptr<shared_state> shared_; ///< with the thread
};

} // namespace holdfast::cli
