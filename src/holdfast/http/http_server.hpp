#pragma once
// A small HTTP server for metrics: GET without a body, one thread, few connections.

#include "holdfast/http/http_exchange.hpp"
#include "holdfast/http/listen_address.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace holdfast::http {

/// Answers up to `most_exchanges` connections at a time, each for `longest_exchange` at most; the
/// rest wait in the kernel's queue.
///
/// Thread safety: all members from any thread; `handle` runs on the server's thread.
class http_server {
public:
    static constexpr std::size_t most_exchanges = 16;
    static constexpr base::milliseconds longest_exchange{5000};

    /// Throws std::system_error.
    http_server(const listen_address& address, handler handle);
    http_server(const http_server&) = delete;
    http_server& operator=(const http_server&) = delete;
    ~http_server();

    [[nodiscard]] const std::string& address() const noexcept { return address_; }

private:
    void run() noexcept;
    void run_once();
    void accept_all(base::instant now);
    [[nodiscard]] int time_out(base::instant now) const noexcept;

    std::uint64_t generation_; ///< of the process whose thread it is
    handler handle_;
    base::fd listener_;
    base::fd stop_; ///< an eventfd: readable when the thread must end
    std::string address_;
    std::vector<http_exchange> exchanges_; ///< of the thread
    base::instant accept_again_{};         ///< likewise: after a failure of accept()
    std::thread thread_;
};

} // namespace holdfast::http
