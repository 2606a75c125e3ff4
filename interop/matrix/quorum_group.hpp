#pragma once
// Several servers, some of them dead, and a driver of each side over all of them.

#include "drivers.hpp"
#include "support/redis_server.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::interop {

/// Thread safety: none. Make it on the main thread: its processes end with the one that made it.
class quorum_group {
public:
    /// Returns when both drivers have used every server once: a server that is killed later breaks
    /// connections.
    quorum_group(client_under_test client, std::size_t servers);

    [[nodiscard]] driver_process& theirs() { return *theirs_; }
    [[nodiscard]] driver_process& ours() { return *ours_; }
    /// One more, which may be killed.
    [[nodiscard]] std::unique_ptr<driver_process> another_of_theirs() const;
    [[nodiscard]] std::unique_ptr<driver_process> another_of_ours() const;

    /// Kills the first `count` of the servers.
    void kill(std::size_t count);
    /// Restarts all that were killed, empty.
    void restart();

    [[nodiscard]] std::size_t live_count() const { return servers_.size() - dead_; }
    /// How many of the servers that live have the key.
    [[nodiscard]] std::size_t votes(const std::string& key);
    /// The shortest on a server that lives and has the key; -2 if none has it.
    [[nodiscard]] milliseconds time_left(const std::string& key);
    /// On servers that live.
    [[nodiscard]] std::string undocumented_keys();
    [[nodiscard]] std::string ports() const; ///< of all servers, separated by commas

private:
    void use_every_server(driver_process& driver);

    client_under_test client_;
    std::vector<std::unique_ptr<test::redis_server>> servers_;
    std::size_t dead_ = 0; ///< the first ones
    std::unique_ptr<driver_process> theirs_;
    std::unique_ptr<driver_process> ours_;
};

} // namespace holdfast::interop
