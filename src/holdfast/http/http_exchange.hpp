#pragma once
// One connection of an HTTP server: a request, and its response or stream.

#include "holdfast/base/clock.hpp"
#include "holdfast/base/fd.hpp"
#include "holdfast/http/http_outbox.hpp"
#include "holdfast/http/http_response.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace holdfast::http {

/// How much and how long a client may use a server.
struct server_limits {
    std::size_t most_exchanges = 16; ///< connections at a time; the rest wait in the kernel's queue
    std::size_t most_streams = 0;    ///< of these, so that requests always find a place
    std::size_t longest_body = 0;    ///< 0: only GET and HEAD
    base::milliseconds longest_exchange{5'000};
    base::milliseconds longest_delay{5'000};  ///< of a response that comes later
    base::milliseconds longest_stall{15'000}; ///< of a stream's client that does not read
};

/// State table of a connection.
///
///  reading   the request is complete: writing, or waiting for a response that comes later
///            the request is wrong or too long: writing
///  waiting   complete(): writing
///  writing   all is written: over; of a stream: idle; of a wrong request: draining
///  idle      send(): writing
///  draining  the peer closes: over. Closing first would make the kernel drop the response
///  any       the peer closes, an error, the deadline: over. An idle stream has no deadline
///
/// Thread safety: none.
class http_exchange {
public:
    static constexpr std::size_t longest_head = 8192;

    http_exchange(exchange_id id, base::fd socket, const server_limits& limits,
                  base::instant now) noexcept
        : id_{id},
          socket_{std::move(socket)},
          limits_{&limits},
          deadline_{now + limits.longest_exchange} {}

    [[nodiscard]] exchange_id id() const noexcept { return id_; }
    [[nodiscard]] int descriptor() const noexcept { return socket_.get(); }
    [[nodiscard]] short wanted() const noexcept; ///< events for poll()
    [[nodiscard]] base::instant deadline() const noexcept { return deadline_; }
    [[nodiscard]] bool is_stream() const noexcept { return is_stream_; }

    /// Reads or writes what is possible now. Returns false when it is over.
    [[nodiscard]] bool progress(const handler& handle, base::instant now);
    /// The response that was to come later. Ignored in other states.
    void complete(const response& response, base::instant now);
    /// The next part of a stream; replaces one that was not begun. Ignored in other states.
    void send(stream_part part, base::instant now);

private:
    enum class state : std::uint8_t { reading, waiting, writing, idle, draining };

    [[nodiscard]] bool read(const handler& handle, base::instant now);
    [[nodiscard]] bool discard();
    void on_received(const handler& handle, base::instant now);
    void on_request(http_request request, const handler& handle, base::instant now);
    void refuse(int status, std::string_view reason);
    void answer(const response& response, base::instant now);
    [[nodiscard]] bool write(base::instant now);
    [[nodiscard]] bool on_written();

    exchange_id id_;
    base::fd socket_;
    const server_limits* limits_;
    base::instant deadline_;
    state state_ = state::reading;
    bool is_stream_ = false;
    bool with_body_ = true; ///< not of HEAD
    bool refused_ = false;
    std::string received_;
    stream_part to_send_{};
    std::size_t sent_ = 0; ///< of to_send_
    stream_part next_{};   ///< of a stream
};

} // namespace holdfast::http
