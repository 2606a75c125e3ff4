#pragma once
// The faults that the proxy can inject, and the filters that select requests and pushes for them.

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::test {

/// How a connection ends for the client.
enum class ending : std::uint8_t {
    reset,   ///< at once, with an error
    close,   ///< in order
    silence, ///< not at all: it stays open, and no byte is forwarded any more
};

/// What replaces an answer or a push.
enum class garbage : std::uint8_t {
    wrong_type,  ///< `?what`: not a type of the protocol
    huge_string, ///< begins a string of 10^14 bytes
    huge_list,   ///< begins a list of 2^31 - 1 items
    no_number,   ///< `:12x4`
    noise,       ///< bytes without a line end, then a line end
    truncated,   ///< the first half of the answer; then the connection closes
};

inline constexpr int for_good = std::numeric_limits<int>::max();

/// Selects the next `times` requests, or pushes, that contain these bytes, e.g. a lock's name or
/// the SHA of a script.
struct message_filter {
    std::string with{};
    int times = 1;
};

/// What the proxy does with a request and its answer, or with a push.
struct proxy_fault {
    enum class kind : std::uint8_t { pass, hold_request, hold_answer, drop_answer, mangle };
    kind type = kind::pass;                    ///< a push counts as an answer
    test::ending ending = ending::reset;       ///< after drop_answer; not for pushes
    garbage replacement = garbage::wrong_type; ///< with mangle
};

/// Faults that have not matched yet. The first one whose filter matches is applied.
class fault_list {
public:
    void add(proxy_fault fault, message_filter filter) {
        pending_.push_back({fault, std::move(filter)});
    }
    void clear() { pending_.clear(); }
    [[nodiscard]] proxy_fault take_match(std::string_view bytes);

private:
    struct pending_fault {
        proxy_fault fault;
        message_filter filter;
    };
    std::vector<pending_fault> pending_;
};

[[nodiscard]] std::string garbage_for(std::string_view answer, garbage kind);

} // namespace holdfast::test
