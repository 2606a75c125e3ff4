#pragma once
// What other threads hand to the thread of an HTTP server.

#include "holdfast/base/fd.hpp"
#include "holdfast/http/http_response.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace holdfast::http {

/// A part of a stream; several streams may share it.
using stream_part = std::shared_ptr<const std::string>;

/// Parts of streams, and responses that were promised (delivery::later). What is for a connection
/// that has ended is dropped.
///
/// Thread safety: all members, from any thread.
class http_outbox {
public:
    http_outbox(); ///< throws std::system_error

    /// Replaces a part that this stream has not begun to send: a slow client gets the latest only.
    void send(exchange_id stream, stream_part part);
    void complete(exchange_id exchange, response response);

    struct message {
        exchange_id exchange = 0;
        stream_part part{}; ///< null: `whole` is the response
        http::response whole{};
    };
    /// Readable when there are messages.
    [[nodiscard]] int descriptor() const noexcept { return ready_.get(); }
    [[nodiscard]] std::vector<message> take();

private:
    void add(message added);

    base::fd ready_; ///< an eventfd
    std::mutex mutex_;
    std::vector<message> messages_;
};

} // namespace holdfast::http
