#pragma once
// One server.

#include "holdfast/engine/engine.hpp"
#include "holdfast/engine/redis/node/command_channel.hpp"
#include "holdfast/engine/redis/node/greeting.hpp"
#include "holdfast/engine/redis/node/reconnector.hpp"
#include "holdfast/engine/redis/options.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::engine::redis {

class node;

/// Receives the changes of a node's connection.
class node_listener {
public:
    node_listener() = default;
    node_listener(const node_listener&) = delete;
    node_listener& operator=(const node_listener&) = delete;

    /// `again`: it was ready before, so messages may have been missed meanwhile.
    virtual void on_ready(node& node, bool again, base::instant now) = 0;
    /// The requests in flight have been failed; operations that wait for the node have not.
    virtual void on_ended(node& node, const connection_loss& loss) = 0;
    /// The server has sent an error: see refusal_handler.
    virtual bool on_refused(node& /*node*/, request& /*request*/, std::string_view /*error*/,
                            base::instant /*now*/) {
        return false;
    }
    /// Locks are on other nodes of a cluster now, whose clocks may differ.
    virtual void on_locks_moved() {}
    /// Another node must get this request, after ASKING if `asks`. It has not been executed.
    virtual bool on_redirected(node& /*to*/, bool /*asks*/, request& /*request*/,
                               base::instant /*now*/) {
        return false;
    }

protected:
    ~node_listener() = default;
};

/// Moves the bytes of a `command_channel` over a connection. Reconnects whenever it ends, and ends
/// it when the server does not reply.
///
/// Thread safety: none.
class node final : private refusal_handler {
public:
    /// `inbox` gets the messages on `inbox_channels`, to which each connection is subscribed.
    node(const options& options, server_source& source, std::vector<std::string> inbox_channels,
         message_handler& inbox, node_listener& listener);
    node(const node&) = delete;
    node& operator=(const node&) = delete;
    ~node() = default;

    /// Requests can be sent, over `channel`.
    [[nodiscard]] bool is_ready() const noexcept {
        return has_session() && channel_.incarnation().is_known();
    }
    [[nodiscard]] command_channel& channel() noexcept { return channel_; }
    void connect(base::instant now, connect_when when);

    void pollables(std::vector<pollfd>& out) const { reconnector_.pollables(out); }
    void drive(std::span<const pollfd> ready, base::instant now) {
        const bool idle = ready.empty() && reconnector_.is_steady();
        if (!idle || channel_.requests().has_lost()) { drive_connection(ready, now); }
    }
    /// Writes the buffered commands, if the write_batcher says so.
    void flush(flush_occasion occasion, base::instant now);
    /// Reads replies that may be in the socket already, because they were suppressed or this
    /// process was stopped: before an operation times out (at `earliest`), or the connection.
    void read_before_time_out(base::instant earliest, base::instant now) {
        if (now >= earliest || is_overdue(now)) { read_once_more(now); }
    }
    /// Ends the connection, ready or not: the server is not the right one any more. False: there is
    /// none, so `drive` reports no end.
    bool break_off(std::string detail);
    /// See `reconnector`.
    void end_pause() noexcept { reconnector_.end_pause(); }
    /// It has no connection, and none that ended and is not reported yet.
    [[nodiscard]] bool is_closed() const noexcept { return reconnector_.is_closed(); }
    /// See `watchdog`.
    void break_off_if_dead(base::instant now) {
        if (is_overdue(now) || channel_.watchdog().renewal_failed()) { break_off_dead(now); }
    }
    [[nodiscard]] base::instant due() const noexcept;

    /// See engine::start_direct_read and finish_direct_read.
    [[nodiscard]] direct_read start_direct_read();
    void finish_direct_read(ssize_t count, int error, base::instant now);
    [[nodiscard]] std::size_t replies_in_flight() const noexcept {
        return channel_.requests().sent_requests();
    }

    /// After an exception: a command may be half written, a reply half read, so the connection
    /// ends. `drive` fails the requests in flight.
    void reset() noexcept;

    /// e.g. `Redis at 127.0.0.1:6379`.
    [[nodiscard]] std::string server() const;
    /// Why there is no connection.
    [[nodiscard]] std::string why_not_ready() const;
    /// e.g. `redis 7.0.15 at 127.0.0.1:6379`. REQUIRES: is_ready().
    [[nodiscard]] std::string about() const;

private:
    [[nodiscard]] bool has_session() const noexcept {
        return reconnector_.is_ready() && channel_.is_open();
    }
    /// The oldest request should have been answered by now.
    [[nodiscard]] bool is_overdue(base::instant now) const noexcept {
        const auto& requests = channel_.requests();
        return !requests.empty() && now >= channel_.watchdog().deadline(requests.front().enqueued);
    }
    [[nodiscard]] connection::first_commands greet(base::instant now);
    void drive_connection(std::span<const pollfd> ready, base::instant now);
    void read_once_more(base::instant now);
    void break_off_dead(base::instant now);
    void check_incarnation(base::instant now);
    void on_data(const reply& reply, base::instant now);
    void read(base::instant now);
    void handle(reconnector::change change, base::instant now) {
        if (change != reconnector::change::none) { on_change(change, now); }
    }
    void on_change(reconnector::change change, base::instant now);
    bool on_refused(request& request, std::string_view error, base::instant now) override {
        return listener_.on_refused(*this, request, error, now);
    }
    void raise_watermark(bool raise);

    const options& options_;
    server_source& source_;
    message_handler& inbox_;
    node_listener& listener_;
    greeting greeting_;
    reconnector reconnector_;
    command_channel channel_;
    std::vector<char> direct_buffer_;  ///< for direct reads
    bool being_read_ = false;          ///< a direct read is running: nothing may be closed
    bool watermark_is_raised_ = false; ///< short replies stay unread
    bool was_ready_ = false;           ///< at least once
    bool timed_out_ = false; ///< the connection was ended because the server did not reply
};

} // namespace holdfast::engine::redis
