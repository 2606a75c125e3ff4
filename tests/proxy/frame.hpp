#pragma once
// Requests and answers as they stand in a stream of bytes (RESP2).

#include "support/redis_reply.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace holdfast::test {

struct frame {
    std::string bytes;
    redis_reply content;

    /// Takes the first whole one away from `from`; none: it is not all there. Throws
    /// std::runtime_error if it is no such thing.
    [[nodiscard]] static std::optional<frame> take(std::string& from);
};

/// Whether it asks for messages of a channel.
[[nodiscard]] bool subscribes(const redis_reply& request);

/// How many answers it will have: SUBSCRIBE is answered once for each channel.
[[nodiscard]] std::size_t answers_to(const redis_reply& request);

/// Whether it is a message of a channel, and answers nothing.
[[nodiscard]] bool is_push(const redis_reply& answer);

} // namespace holdfast::test
