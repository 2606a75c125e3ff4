#pragma once
// A small HTTP server: one thread, few connections, a limit on everything.

#include "holdfast/http/http_exchange.hpp"
#include "holdfast/http/listen_address.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace holdfast::http {

struct server_settings {
    handler handle;
    server_limits limits{};
    /// Null: all responses are complete at once.
    std::shared_ptr<http_outbox> outbox{};
    /// A stream has ended; it runs on the server's thread.
    std::function<void(exchange_id)> on_stream_end{};
};

/// Thread safety: all members from any thread; `handle` runs on the server's thread.
class http_server {
public:
    /// Serves the connections of a listening socket. Throws std::system_error.
    http_server(base::fd listener, server_settings settings);
    http_server(const http_server&) = delete;
    http_server& operator=(const http_server&) = delete;
    ~http_server();

    [[nodiscard]] const std::string& address() const noexcept { return address_; }

private:
    void run() noexcept;
    void run_once();
    void accept_all(base::instant now);
    void deliver(base::instant now);
    void end_exchanges() noexcept;
    void end_exchange(exchange_id id);
    [[nodiscard]] http_exchange* find(exchange_id id) noexcept;
    [[nodiscard]] response handle_or_refuse(const http_request& request) const;
    [[nodiscard]] int time_out(base::instant now) const noexcept;

    std::uint64_t generation_; ///< of the process whose thread it is
    server_settings settings_;
    handler handle_;
    base::fd listener_;
    base::fd stop_; ///< an eventfd: readable when the thread must end
    std::string address_;
    std::vector<http_exchange> exchanges_; ///< of the thread
    exchange_id last_id_ = 0;              ///< likewise
    base::instant accept_again_{};         ///< likewise: after a failure of accept()
    std::thread thread_;
};

} // namespace holdfast::http
