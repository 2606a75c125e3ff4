#pragma once
// A TCP proxy between a client and a Redis server, with which a test makes things go wrong.

#include "holdfast/base/fd.hpp"
#include "proxy/connection.hpp"
#include "proxy/faults.hpp"

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

/// Listens on a free port of 127.0.0.1 and connects to a server's; one thread does it all.
///
/// Every control is in effect when it returns. A client's bytes that were sent before it was called
/// have been forwarded, as far as the kernel had them.
///
///     proxy between{server.port()};
///     client one{between.url()};
///     between.drop_answers({.with = "stock"});  // the next request with this name is executed,
///                                               // but nobody learns of it
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

    /// Ends those that are there. Requests that are held stay, and arrive when released.
    void cut(ending ending = ending::reset);
    /// They stay open, also when one side has closed, but nothing comes through any more.
    void half_open() { cut(ending::silence); }
    /// New ones: refused | accepted and never answered | served, as at first.
    void refuse_new();
    void silence_new();
    void serve_new();

    // Requests and answers, from those that come next

    /// Each of them is executed by the server, its answer is swallowed, and the connection ends.
    void drop_answers(picked which = {}, ending then = ending::reset);
    /// Garbage comes in place of the answer.
    void mangle(garbage instead, picked which = {});
    /// Holds a request back, and what its connection sends after it, until release(): also when the
    /// client has closed long before.
    void hold_requests(picked which = {});
    /// The request is executed; its answer, and what the server sends after it, waits for
    /// release().
    void hold_answers(picked which = {});
    void release();

    // Pushes, from those that come next; `with` is looked for in the push itself

    /// Swallowed; their connection goes on.
    void drop_pushes(picked which = {});
    /// Set aside until release(), while what the server sends after them goes on.
    void hold_pushes(picked which = {});
    /// Garbage comes in place of the push.
    void mangle_pushes(garbage instead, picked which = {});

    // All bytes, from now on

    /// The bytes reach the clients as if the server had sent them now, e.g. as a push.
    void inject(const std::string& bytes);
    /// Each way. Nothing is overtaken.
    void delay(std::chrono::milliseconds to_server, std::chrono::milliseconds to_client);
    /// They are sent to the clients one by one.
    void trickle();

    // Whole connections, by chance

    /// Now and then a connection falls behind: from some request on its bytes reach the server
    /// later, after newer connections have spoken, and the client hears no more of it. Copies of
    /// some requests arrive once more. What was delayed arrives also after heal().
    void deliver_late(const late_delivery_terms& terms);

    /// New connections are served, nothing is late or trickles, and faults that have not yet found
    /// their requests or pushes are forgotten. What is held stays so, and what was silenced stays
    /// silent.
    void heal();

    [[nodiscard]] proxy_counts counts();

private:
    enum class welcome : std::uint8_t { serve, silence };

    void run();
    void accept_new();
    void step();
    void wait() const;
    [[nodiscard]] std::vector<std::packaged_task<void()>> take_tasks();
    /// Runs it on the proxy's thread, between two steps, and waits for its end.
    void tell(std::function<void()> what);

    std::uint16_t server_port_;
    std::uint16_t port_ = 0;
    base::fd listener_;
    base::fd wake_up_;

    std::mutex mutex_; ///< guards the next two
    std::vector<std::packaged_task<void()>> tasks_;
    bool stop_ = false;

    // The thread's own.
    std::list<connection> connections_;
    network network_;
    welcome welcome_ = welcome::serve;
    bool listening_ = true;
    proxy_counts past_; ///< of those that are gone

    std::thread thread_;
};

} // namespace holdfast::test
