#pragma once
// The reply of a Redis server as a tree, and its parser: RESP2, and the parts of RESP3 that tests
// meet.

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace holdfast::test {

struct redis_reply {
    struct nil {};
    struct error {
        std::string text;
    };
    using list = std::vector<redis_reply>;

    /// A status such as OK and verbatim text are strings. A push is a list; a map is a list of
    /// alternating keys and values.
    std::variant<nil, error, std::int64_t, std::string, list> value{};

    [[nodiscard]] bool is_nil() const { return std::holds_alternative<nil>(value); }
    [[nodiscard]] bool is_error() const { return std::holds_alternative<error>(value); }

    /// These throw, with the reply in the message, if it is of another kind.
    [[nodiscard]] std::int64_t number() const;
    [[nodiscard]] const std::string& string() const;
    [[nodiscard]] const list& items() const;

    /// For comparing and for messages: `OK`, `5`, `nil`, `error: ERR no`, `[a, [1, nil]]`.
    [[nodiscard]] std::string text() const;

    /// Removes the first whole reply from `bytes`; empty if it is incomplete. Throws
    /// std::runtime_error if it is no reply.
    [[nodiscard]] static std::optional<redis_reply> take(std::string_view& bytes);
};

// NOLINTNEXTLINE(readability-identifier-naming): gtest's
void PrintTo(const redis_reply& reply, std::ostream* out);

} // namespace holdfast::test
