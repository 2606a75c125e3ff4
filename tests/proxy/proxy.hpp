#pragma once
// A TCP proxy between a client and a Redis server that injects faults.

#include "holdfast/base/fd.hpp"
#include "proxy/faults.hpp"
#include "proxy/proxy_connection.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace holdfast::test {

/// Listens on a free port of 127.0.0.1 and connects to the server's port, on one thread.
///
/// A control is in effect when its call returns. Bytes that a client sent before the call have been
/// forwarded, as far as the kernel had received them.
///
///     proxy between{server.port()};
///     client one{between.url()};
///     between.drop_answers({.with = "stock"});  // the next request with this name is executed,
///                                               // but its answer is lost
///
/// Thread safety: all members, from any thread.
class proxy {
public:
    explicit proxy(std::uint16_t server_port);
    proxy(const proxy&) = delete;
    proxy& operator=(const proxy&) = delete;
    ~proxy();

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] std::string url() const; ///< redis://127.0.0.1:PORT

    // Connections

    /// Ends the present connections. Held requests stay, and arrive when released.
    void cut(ending ending = ending::reset);
    /// The connections stay open, even when one side has closed, but forward nothing any more.
    void half_open() { cut(ending::silence); }
    /// New connections are refused | accepted and never answered | served (the default).
    void refuse_new();
    void silence_new();
    void serve_new();

    // Requests and answers, from the next ones on

    /// The server executes the request, the proxy drops its answer, and the connection ends.
    void drop_answers(message_filter filter = {}, ending ending = ending::reset);
    /// Replaces the answer by garbage.
    void mangle(garbage replacement, message_filter filter = {});
    /// Holds a request, and what its connection sends after it, until release(), even if the client
    /// has closed by then.
    void hold_requests(message_filter filter = {});
    /// The server executes the request; its answer, and what the server sends after it, waits for
    /// release().
    void hold_answers(message_filter filter = {});
    void release();

    // Pushes, from the next ones on; `with` is searched in the push itself

    /// Drops the push; the connection continues.
    void drop_pushes(message_filter filter = {});
    /// Holds the push until release(); what the server sends after it is forwarded.
    void hold_pushes(message_filter filter = {});
    /// Replaces the push by garbage.
    void mangle_pushes(garbage replacement, message_filter filter = {});

    // All bytes, from now on

    /// Sends bytes to all clients as if they came from the server, e.g. a push.
    void inject(const std::string& bytes);
    /// Delays each direction. The order stays the same.
    void delay(std::chrono::milliseconds to_server, std::chrono::milliseconds to_client);
    /// Sends bytes to the clients one by one.
    void trickle();

    // Whole connections, at random

    /// Delays random connections: from some request on, their bytes reach the server later, after
    /// those of newer connections, and the client receives nothing any more. Random requests arrive
    /// a second time. Delayed bytes arrive even after heal().
    void deliver_late(const late_delivery_terms& terms);

    /// Serves new connections, ends delays, and removes faults that have not matched yet. Held
    /// messages stay held, and silent connections stay silent.
    void heal();

    [[nodiscard]] proxy_counts counts();

private:
    enum class accept_mode : std::uint8_t { serve, silence };

    void run();
    void accept_new();
    void step();
    void wait() const;
    [[nodiscard]] std::vector<std::packaged_task<void()>> take_tasks();
    /// Runs the task on the proxy's thread, between two steps, and waits for its end.
    void run_on_thread(std::function<void()> task);

    std::uint16_t server_port_;
    std::uint16_t port_ = 0;
    base::fd listener_;
    base::fd wake_up_;

    std::mutex mutex_; ///< guards the next two
    std::vector<std::packaged_task<void()>> tasks_;
    bool stop_ = false;

    // Used by the thread only.
    std::list<proxy_connection> connections_;
    network_conditions network_;
    accept_mode accept_mode_ = accept_mode::serve;
    bool listening_ = true;
    proxy_counts past_; ///< of removed connections

    std::thread thread_;
};

} // namespace holdfast::test
