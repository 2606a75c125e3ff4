#pragma once
// The requests in flight on one connection.

#include "holdfast/engine/redis/node/request_ring.hpp"

#include <cstdint>
#include <string>
#include <system_error>

namespace holdfast::engine::redis {

/// Bytes to send to a server.
struct output_buffer {
    std::string unsent{};
    std::uint64_t sent = 0; ///< bytes written to the socket; later ones are not at the server
    /// Bytes that were offered to the stream, taken or not. TLS may have encrypted them already, so
    /// they must not change any more.
    std::uint64_t offered = 0;
};

/// Why a connection ended.
struct connection_loss {
    std::error_code code{};
    std::string detail{};
    bool retry_now = false; ///< an immediate retry on another connection may succeed
};

/// Enqueues commands, matches replies with them in order, and decides their outcome when the
/// connection ends: see `fail_lost`.
///
/// Thread safety: none.
class pipeline {
public:
    /// From now on commands go to this buffer, whose bytes are counted from 0.
    void start_session(output_buffer& output) noexcept;
    /// All requests in flight are lost. `fail_lost` calls their handlers later, because that may
    /// need memory.
    void end_session() noexcept;
    /// Here a lost connection ends each request in flight: `unknown` if it may have reached the
    /// server, `failed` if it certainly has not.
    void fail_lost(const connection_loss& loss, base::instant now);
    [[nodiscard]] bool has_lost() const noexcept { return !lost_.empty(); }

    /// `write(std::string&)` appends exactly one command.
    template <typename Write>
    request& enqueue(request_handler& handler, std::uint8_t kind, operation* operation,
                     base::instant now, Write write) {
        request& added = add(handler, kind, operation, now);
        write_command(added, write);
        return added;
    }
    /// The newest request, if none of its bytes was offered to the stream: its command can still be
    /// replaced.
    [[nodiscard]] request* last_unsent() noexcept;
    /// Replaces the unsent command of `last` by one that serves its operation and `operation`. The
    /// reply answers `operation`; the earlier operation becomes `merged`.
    template <typename Write>
    void merge(request& last, std::uint8_t kind, operation& operation, Write write) {
        join(last, kind, operation);
        write_command(last, write);
    }

    /// Updates the counters after the socket was written to.
    void note_sent() noexcept {
        while (has_unsent() && requests_[sent_requests_].end <= output_->sent) {
            sent_ += requests_[sent_requests_++].weight();
        }
    }
    /// Hands a reply to the first request, which ends by it; false: it does not fit, and the
    /// request stays. REQUIRES: !empty().
    [[nodiscard]] bool deliver(const reply& reply, base::instant now);
    void deliver_error(const server_error& error, base::instant now); ///< likewise
    /// Ends the next request without a reply, if it is this handler's; false: it is not.
    bool confirm(const request_handler& handler) noexcept;

    // Replies that are held back: their requests stay in flight, at the front.
    /// The request that the next reply belongs to. REQUIRES: awaits_reply().
    [[nodiscard]] request& next() const noexcept { return requests_[held_back_]; }
    [[nodiscard]] bool awaits_reply() const noexcept { return held_back_ < requests_.size(); }
    void hold_back(const reply& reply);
    /// The next request has ended; it stays in its place until those before it have.
    void pass_over() noexcept { ++held_back_; }
    [[nodiscard]] std::size_t held_back() const noexcept { return held_back_; }
    /// Ends the first request, as if its reply had been lost: `unknown`.
    void disregard_front(const connection_loss& why, base::instant now);
    void drop_front() noexcept;

    [[nodiscard]] bool empty() const noexcept { return requests_.empty(); }
    [[nodiscard]] request& front() const noexcept { return requests_.front(); }
    [[nodiscard]] bool has_unsent() const noexcept { return sent_requests_ < requests_.size(); }
    [[nodiscard]] std::size_t sent_requests() const noexcept { return sent_requests_; }
    /// In operations: a merged request counts for two.
    [[nodiscard]] std::size_t in_flight() const noexcept { return in_flight_; }
    [[nodiscard]] std::size_t sent() const noexcept { return sent_; } ///< of them
    [[nodiscard]] std::size_t unsent_bytes() const noexcept { return output_->unsent.size(); }

private:
    request& add(request_handler& handler, std::uint8_t kind, operation* operation,
                 base::instant now);
    void join(request& last, std::uint8_t kind, operation& operation) noexcept;
    static void lose(request& lost, bool may_arrive, const connection_loss& why, base::instant now);

    template <typename Write>
    void write_command(request& request, Write write) {
        const auto before = output_->unsent.size();
        request.begin = written_;
        write(output_->unsent);
        written_ += output_->unsent.size() - before;
        request.end = written_;
    }

    output_buffer* output_ = nullptr; ///< null: no session
    request_ring requests_;
    std::size_t held_back_ = 0; ///< of the first requests the replies are here
    std::size_t sent_requests_ = 0;
    std::size_t in_flight_ = 0;
    std::size_t sent_ = 0;
    std::uint64_t written_ = 0; ///< bytes of commands in this session

    request_ring lost_; ///< of the session before
    std::uint64_t lost_sent_bytes_ = 0;
};

} // namespace holdfast::engine::redis
