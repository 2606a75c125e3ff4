#pragma once
// A real Redis server of a test's own: the program that HOLDFAST_REDIS_SERVER names, or
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
    std::optional<redis_server_tls> tls{}; ///< then the port speaks nothing else
    bool adjustable_clock = false;         ///< set_clock() works
};

/// Listens on a free port of 127.0.0.1 and on a unix socket, keeps nothing on disk, and has
/// answered when the constructor returns. Ends with this object; also with the *thread* that made
/// or restarted it (PR_SET_PDEATHSIG), so do that on the main one.
///
///  runs      pause(): paused | kill(): dead | restart(): runs, empty
///  paused    resume(): runs | kill(): dead | restart(): runs, empty
///  dead      restart(): runs, empty
///
/// Thread safety: none. A forked child leaves it alone.
class redis_server {
public:
    /// Throws std::runtime_error, with the server's log, if it does not start.
    explicit redis_server(redis_server_options options = {});
    redis_server(const redis_server&) = delete;
    redis_server& operator=(const redis_server&) = delete;
    ~redis_server();

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] std::filesystem::path unix_path() const { return folder_ / "socket"; }
    [[nodiscard]] std::string url() const; ///< redis://127.0.0.1:PORT, or rediss:
    [[nodiscard]] ::pid_t pid() const { return pid_; }
    [[nodiscard]] std::string log() const;

    /// From the return on it does nothing; the kernel still accepts connections and bytes for it.
    void pause();
    void resume();
    void kill();
    /// On the same port, with the same options.
    void restart();

    /// Steps its wall clock to this far from the machine's, now and after a restart.
    /// REQUIRES: adjustable_clock.
    void set_clock(std::chrono::seconds offset);

    /// Asks over the unix socket, on a connection that stays open: with TLS, with a password, and
    /// whatever happens to the port. REQUIRES: it runs.
    redis_reply command(const std::vector<std::string>& what);

    /// A number from INFO: stat("total_commands_processed"), which counts this very question, too.
    [[nodiscard]] std::int64_t stat(std::string_view field);
    /// How often this command, in lower case, was called since CONFIG RESETSTAT; also by scripts.
    [[nodiscard]] std::int64_t calls_of(const std::string& command_name);
    void flush_all();

private:
    void start();
    [[nodiscard]] bool spawn_and_wait(); ///< false: somebody else has the port
    [[nodiscard]] std::vector<std::string> arguments() const;
    [[nodiscard]] bool answers();
    [[nodiscard]] bool ended();
    void end() noexcept;

    redis_server_options options_;
    std::filesystem::path folder_;
    ::pid_t maker_;
    ::pid_t pid_ = 0; ///< 0: none
    std::uint16_t port_ = 0;
    bool paused_ = false;
    std::optional<redis_raw> control_;
};

} // namespace holdfast::test
