#pragma once

#include <holdfast/export.hpp>
#include <holdfast/metrics.hpp>

#include <memory>
#include <string>
#include <vector>

namespace holdfast {

class client;

/// How a metrics_server listens.
struct metrics_server_options {
    /// `PORT` and `:PORT` listen on the loopback address 127.0.0.1 only; `HOST:PORT` and
    /// `[IPv6]:PORT` on that address, e.g. `0.0.0.0:9464` for all. Port 0: the system chooses one.
    std::string address{"127.0.0.1:9464"};
};

/// Serves the metrics of clients over HTTP, for Prometheus: GET /metrics.
///
///     holdfast::metrics_server server{fleet};
///
/// It has a thread of its own, and answers at most 16 connections at a time, each for 5 s at most.
/// It does not keep clients alive: those that are gone are left out. Anybody who can reach the port
/// can read the numbers; they contain no names of locks.
///
/// Thread safety: all members may be called from any thread. After fork() it is inert in the child.
class HOLDFAST_API metrics_server {
public:
    /// Throws invalid_option if the address is not valid or is in use, limit_reached if the system
    /// refuses a thread or a descriptor.
    explicit metrics_server(const metrics_server_options& options = {});
    explicit metrics_server(const client& client, const metrics_server_options& options = {});
    metrics_server(const metrics_server&) = delete;
    metrics_server& operator=(const metrics_server&) = delete;
    ~metrics_server();

    /// Serves the metrics of this client as well. If there are several, their labels must differ.
    /// Throws invalid_option if the name of a label is not valid.
    void add(const client& client, std::vector<metric_label> labels = {});

    /// Where it listens, e.g. "127.0.0.1:9464".
    [[nodiscard]] std::string address() const;

private:
    class state;
    std::unique_ptr<state> state_;
};

} // namespace holdfast
