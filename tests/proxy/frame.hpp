#pragma once
// Requests, answers and pushes, parsed from a stream of bytes (RESP3).

#include "support/redis_reply.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace holdfast::test {

struct frame {
    std::string bytes;
    redis_reply content;

    /// Removes the first complete frame from `bytes`; empty: it is incomplete. Throws
    /// std::runtime_error if the bytes are not RESP.
    [[nodiscard]] static std::optional<frame> take(std::string& bytes);
};

/// In capitals.
[[nodiscard]] std::string command_name(const redis_reply& request);

/// How many answers the request gets: SUBSCRIBE is answered once per channel.
[[nodiscard]] std::size_t answers_to(const redis_reply& request);

/// Whether it is a CLIENT REPLY SKIP: neither it nor the next request will be answered.
[[nodiscard]] bool skips_answer(const redis_reply& request);

/// Whether the frame is a push and no answer. The answer to SUBSCRIBE has the form of a push.
[[nodiscard]] bool is_push(const frame& frame);

} // namespace holdfast::test
