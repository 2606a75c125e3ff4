#pragma once
// The part of a node that layouts use: it enqueues requests and receives replies.

#include "holdfast/engine/redis/node/incarnation.hpp"
#include "holdfast/engine/redis/node/pipeline.hpp"
#include "holdfast/engine/redis/node/receive_watermark.hpp"
#include "holdfast/engine/redis/node/replica_wait.hpp"
#include "holdfast/engine/redis/node/script_cache.hpp"
#include "holdfast/engine/redis/node/server_clock.hpp"
#include "holdfast/engine/redis/node/subscriptions.hpp"
#include "holdfast/engine/redis/node/watchdog.hpp"
#include "holdfast/engine/redis/node/write_batcher.hpp"

#include <string>
#include <string_view>

namespace holdfast::engine::redis {

struct channel_options {
    base::milliseconds command_timeout{2000};
    unsigned replicas = 0;           ///< see replica_wait
    base::milliseconds max_lease{0}; ///< see incarnation; 0: off
    std::string prefix = "hf:";
};

/// Gets the error replies of a server first.
class refusal_handler {
public:
    refusal_handler() = default;
    refusal_handler(const refusal_handler&) = delete;
    refusal_handler& operator=(const refusal_handler&) = delete;

    /// True: the operations of the request go on elsewhere, or have failed; its own handler is not
    /// called.
    virtual bool on_refused(request& request, std::string_view error, base::instant now) = 0;

protected:
    ~refusal_handler() = default;
};

/// The half of a node that does no I/O: `node` moves the bytes.
///
/// Thread safety: none.
class command_channel {
public:
    explicit command_channel(const channel_options& options)
        : watermark_{options.command_timeout},
          watchdog_{options.command_timeout},
          replicas_{options.replicas, options.command_timeout, options.prefix + "ack"},
          incarnation_{requests_, scripts_, options.prefix, options.max_lease, options.replicas} {}

    void set_refusal_handler(refusal_handler& handler) noexcept { refusals_ = &handler; }

    /// `server` names it in messages, e.g. `127.0.0.1:6379`.
    void start_session(output_buffer& output, script_set loaded, std::string server,
                       base::instant now);
    void end_session() noexcept;
    /// Commands can be enqueued.
    [[nodiscard]] bool is_open() const noexcept { return open_; }
    [[nodiscard]] const std::string& server() const noexcept { return server_; }

    /// `write(std::string&)` appends one command, whose outcome goes to the handler. The operation
    /// stays in use until then.
    template <typename Kind, typename Write>
    request& send(request_handler& handler, Kind kind, operation& operation, base::instant now,
                  Write write) {
        operation.channel = this;
        operation.sent = now;
        if (operation.routing.asking_first) { send_asking(operation, now); }
        auto& added =
            requests_.enqueue(handler, static_cast<std::uint8_t>(kind), &operation, now, write);
        replicas_.note(added, operation);
        return added;
    }
    /// Lets `pipeline::last_unsent` serve a second operation by another command.
    template <typename Kind, typename Write>
    void merge(request& last, Kind kind, operation& operation, bool suppressible, base::instant now,
               Write write) {
        operation.channel = this;
        operation.sent = now;
        const bool both = last.suppressible && suppressible;
        if (last.suppressible) { watermark_.remove(last.weight()); }
        last.suppressible = false;
        requests_.merge(last, static_cast<std::uint8_t>(kind), operation, write);
        replicas_.note(last, operation);
        if (both) { mark_suppressible(last); }
    }
    /// A short reply to it may stay unread until more arrives.
    void mark_suppressible(request& request) noexcept {
        request.suppressible = true;
        watermark_.add(request.weight());
    }
    /// The request that is sent next may wait for one more.
    void defer_write(base::instant now) { batcher_.defer_write(now); }

    /// Before buffered requests are written: asks for the replicas' acknowledgement if one of them
    /// needs it.
    [[nodiscard]] bool must_ask_replicas() const noexcept { return replicas_.is_due(); }
    void before_flush(base::instant now);
    /// The key that is written so that replicas acknowledge all that was done before.
    void set_acknowledged_key(std::string key) { replicas_.set_key(std::move(key)); }
    /// The last time that replicas were asked, too few of them had acknowledged.
    [[nodiscard]] bool lacks_replicas() const noexcept { return lacks_replicas_; }

    /// Null, or what is wrong with the reply, to follow the server's address in a message.
    [[nodiscard]] const char* on_reply(const reply& reply, base::instant now);

    [[nodiscard]] pipeline& requests() noexcept { return requests_; }
    [[nodiscard]] const pipeline& requests() const noexcept { return requests_; }
    [[nodiscard]] write_batcher& batcher() noexcept { return batcher_; }
    [[nodiscard]] const write_batcher& batcher() const noexcept { return batcher_; }
    [[nodiscard]] receive_watermark& watermark() noexcept { return watermark_; }
    [[nodiscard]] const receive_watermark& watermark() const noexcept { return watermark_; }
    [[nodiscard]] redis::watchdog& watchdog() noexcept { return watchdog_; }
    [[nodiscard]] const redis::watchdog& watchdog() const noexcept { return watchdog_; }
    [[nodiscard]] script_cache& scripts() noexcept { return scripts_; }
    [[nodiscard]] redis::subscriptions& subscriptions() noexcept { return subscriptions_; }
    [[nodiscard]] server_clock& clock() noexcept { return clock_; }
    [[nodiscard]] redis::incarnation& incarnation() noexcept { return incarnation_; }
    [[nodiscard]] const redis::incarnation& incarnation() const noexcept { return incarnation_; }

private:
    [[nodiscard]] const char* deliver(const reply& reply, base::instant now);
    void send_asking(operation& operation, base::instant now);
    [[nodiscard]] const char* deliver_early(const reply& reply, base::instant now);
    void on_written(const reply& reply, base::instant now);
    [[nodiscard]] const char* on_acknowledged(const reply& reply, base::instant now);

    pipeline requests_;
    write_batcher batcher_;
    receive_watermark watermark_;
    redis::watchdog watchdog_;
    script_cache scripts_{requests_};
    redis::subscriptions subscriptions_{requests_};
    server_clock clock_;
    replica_wait replicas_;
    redis::incarnation incarnation_;
    refusal_handler* refusals_ = nullptr;
    std::string server_;
    bool open_ = false;
    bool lacks_replicas_ = false;
};

} // namespace holdfast::engine::redis
