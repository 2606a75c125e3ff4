#pragma once
// A blocking conversation with one server, to examine it.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/redis/protocol/reply.hpp"
#include "holdfast/net/endpoint.hpp"
#include "holdfast/net/stream.hpp"

#include <memory>
#include <string>
#include <vector>

namespace holdfast::engine::redis {

using command_words = std::vector<std::string>;

/// One connection, in RESP2. After a failure it stays failed, and every answer is missing.
///
/// Thread safety: none.
class probe {
public:
    /// Connects. See `failure`.
    probe(const net::endpoint& server, base::milliseconds timeout);

    /// Sends the commands and waits for their replies: fewer of them after a failure.
    [[nodiscard]] std::vector<kept_reply> ask(const std::vector<command_words>& commands);

    /// Empty, or why the connection failed: a sentence without the server's address.
    [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

private:
    /// False when the time is over, or the stream has failed.
    [[nodiscard]] bool wait(base::instant end);
    void send(std::string_view bytes, base::instant end);
    void receive(std::vector<kept_reply>& replies);

    std::unique_ptr<net::stream> stream_;
    reply_reader reader_;
    base::milliseconds timeout_;
    std::string failure_;
};

} // namespace holdfast::engine::redis
