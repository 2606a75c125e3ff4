#pragma once
// Requests, answers and pushes as they stand in a stream of bytes (RESP3).

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

/// In capitals.
[[nodiscard]] std::string command_name(const redis_reply& request);

/// How many answers it will have: SUBSCRIBE is answered once for each channel.
[[nodiscard]] std::size_t answers_to(const redis_reply& request);

/// Whether it is a CLIENT REPLY SKIP: neither it nor the next request will be answered.
[[nodiscard]] bool skips_answer(const redis_reply& request);

/// Whether it answers nothing. What confirms a SUBSCRIBE has the form of a push, and is its answer.
[[nodiscard]] bool is_push(const frame& frame);

} // namespace holdfast::test
