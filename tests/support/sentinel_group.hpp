#pragma once
// Starts a master, its replicas and the sentinels that watch them, for a test.

#include "support/redis_server.hpp"
#include "support/timing.hpp"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::test {

struct sentinel_group_options {
    unsigned replicas = 2;
    unsigned sentinels = 3;
    milliseconds down_after = scaled(500ms); ///< a silent master is replaced
    std::string password{};                  ///< of the master and its replicas
    std::string sentinel_password{};
    std::optional<redis_server_tls> tls{};       ///< of all of them, among each other too
    std::vector<std::string> server_arguments{}; ///< e.g. {"--min-replicas-to-write", "1"}
    bool adjustable_clock = false;               ///< of the master and its replicas
};

/// The constructor returns when the replicas are in sync and each sentinel knows all others and all
/// replicas, so that a failover can begin. All on 127.0.0.1; see redis_server for how they end.
///
/// Thread safety: none.
class sentinel_group {
public:
    explicit sentinel_group(sentinel_group_options options = {});

    /// redis+sentinel://[:password@]127.0.0.1:PORT,.../mymaster and `query`, e.g. "?timeout=300".
    [[nodiscard]] std::string url(const std::string& query = {}) const;

    /// The server that the first sentinel that runs names as the master.
    [[nodiscard]] redis_server& master();
    /// SENTINEL FAILOVER at the first sentinel that runs, with any replica as the next master;
    /// returns when it was accepted.
    void begin_fail_over();
    /// Waits until all sentinels that run name another master than this, which says that it is one.
    [[nodiscard]] bool moves_from(const redis_server& former);
    /// Waits until the master has this many replicas in sync.
    [[nodiscard]] bool has_replicas(unsigned count);

    std::deque<redis_server> servers;   ///< the first is the first master
    std::deque<redis_server> sentinels; ///< with those that were killed

private:
    void introduce_sentinels();
    [[nodiscard]] bool is_complete(redis_server& sentinel);
    [[nodiscard]] std::string config() const;

    const sentinel_group_options options_;
};

/// master or slave; empty if a sentinel has just ended the connection, as it does when it changes
/// the role.
[[nodiscard]] std::string role_of(redis_server& server);

/// The value of a key in a reply that is a map.
[[nodiscard]] std::string value_of(const redis_reply& map, std::string_view key);

} // namespace holdfast::test
