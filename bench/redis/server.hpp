#pragma once
// Starts a Redis server for the benchmark: the program that HOLDFAST_REDIS_SERVER names, or
// redis-server.

#include <cstdint>
#include <string>
#include <sys/types.h>

namespace holdfast::bench::redis {

/// Listens on a free port of 127.0.0.1, stores nothing on disk, and ends with this object.
class server {
public:
    server(); ///< throws std::runtime_error if it does not start
    server(const server&) = delete;
    server& operator=(const server&) = delete;
    ~server();

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] std::string url() const { return "redis://127.0.0.1:" + std::to_string(port_); }
    [[nodiscard]] ::pid_t pid() const noexcept { return pid_; }
    [[nodiscard]] static std::string program();

    void end() noexcept; ///< kills it
    void freeze() const; ///< it keeps its connections and answers nothing until the end

private:
    [[nodiscard]] bool answers() const;

    std::uint16_t port_ = 0;
    ::pid_t pid_ = 0;
};

} // namespace holdfast::bench::redis
