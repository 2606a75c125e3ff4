#pragma once
// Starts a real Redis server for a test: the program that HOLDFAST_REDIS_SERVER names, or
// redis-server.

#include "support/redis_raw.hpp"
#include "support/redis_reply.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace holdfast::test {

struct redis_server_tls {
    std::string certificate{}; ///< PEM files
    std::string private_key{};
    std::string ca_file{};
    std::string auth_clients = "no"; ///< or "yes", "optional"
};

struct redis_server_options {
    std::vector<std::string> arguments{};  ///< e.g. {"--maxmemory", "3mb"}
    std::string password{};                ///< of the default user; empty: none
    std::optional<redis_server_tls> tls{}; ///< if set, the port is TLS only
    bool adjustable_clock = false;         ///< set_clock() works
    bool cluster = false;                  ///< a node of a cluster; see cluster_group
    std::string config{};                  ///< lines of a configuration file; empty: no file
};

/// Listens on a free port of 127.0.0.1 and on a unix socket, and stores nothing on disk. The
/// constructor returns when the server answers. The server ends with this object, and also with the
/// *thread* that started or restarted it (PR_SET_PDEATHSIG): use the main thread.
///
///  runs      pause(): paused | kill(): dead | restart(): runs, empty
///  paused    resume(): runs | kill(): dead | restart(): runs, empty
///  dead      restart(): runs, empty
///
/// Thread safety: none. In a forked child the destructor does nothing.
class redis_server {
public:
    /// Throws std::runtime_error, with the server's log, if it does not start.
    explicit redis_server(redis_server_options options = {});
    redis_server(const redis_server&) = delete;
    redis_server& operator=(const redis_server&) = delete;
    ~redis_server();

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] std::uint16_t bus_port() const { return bus_port_; } ///< of a cluster's node
    [[nodiscard]] std::filesystem::path unix_path() const { return folder_ / "socket"; }
    [[nodiscard]] std::string url() const; ///< redis://127.0.0.1:PORT, or rediss:
    [[nodiscard]] ::pid_t pid() const { return pid_; }
    [[nodiscard]] std::string log() const;

    /// Stops the process (SIGSTOP); the kernel still accepts connections and bytes for it.
    void pause();
    void resume();
    void kill();
    /// On the same port, with the same options.
    void restart();

    /// Steps its wall clock to this far from the machine's, now and after a restart.
    /// REQUIRES: adjustable_clock.
    void set_clock(std::chrono::seconds offset);

    /// Runs a command over the unix socket, which needs neither TLS nor the port. REQUIRES: the
    /// server runs.
    redis_reply command(const std::vector<std::string>& command_words);

    /// A number from INFO, e.g. stat("total_commands_processed"), which counts this INFO as well.
    /// Whether this many replicas have received all that it has written. WAIT does not tell: it is
    /// about what its own connection has written.
    [[nodiscard]] bool is_replicated_to(unsigned replicas);
    [[nodiscard]] std::int64_t stat(std::string_view field);
    /// How often this command, in lower case, was called since CONFIG RESETSTAT; also by scripts.
    [[nodiscard]] std::int64_t calls_of(const std::string& command_name);
    void flush_all();

private:
    void start();
    [[nodiscard]] bool spawn_and_wait(); ///< false if the port is in use
    [[nodiscard]] std::vector<std::string> arguments() const;
    [[nodiscard]] bool answers();
    [[nodiscard]] bool ended();
    void end() noexcept;

    redis_server_options options_;
    std::filesystem::path folder_;
    ::pid_t maker_;
    ::pid_t pid_ = 0; ///< 0: none
    std::uint16_t port_ = 0;
    std::uint16_t bus_port_ = 0;
    bool paused_ = false;
    std::optional<redis_raw> control_;
};

} // namespace holdfast::test
