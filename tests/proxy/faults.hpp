#pragma once
// What can be made to go wrong between a client and a Redis server, and for which requests.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::test {

/// Connections by their use. One that has sent SUBSCRIBE is an inbox, every other one a main one.
enum class connection_kind : std::uint8_t { any, main, inbox };

/// How a connection ends for the client.
enum class ending : std::uint8_t {
    reset,   ///< at once, with an error
    close,   ///< in order
    silence, ///< not at all: it stays open, and nothing comes through any more, either way
};

/// What takes the place of an answer.
enum class garbage : std::uint8_t {
    wrong_type,  ///< `?what`: no type of the protocol
    huge_string, ///< begins a string of 10^14 bytes
    huge_list,   ///< begins a list of 2^31 - 1 items
    no_number,   ///< `:12x4`
    noise,       ///< bytes without a line end, then a line end
    truncated,   ///< the first half of the answer; then the connection closes
};

inline constexpr int for_good = std::numeric_limits<int>::max();

/// Which requests: the next `times` ones that hold these bytes anywhere, e.g. in a name or as the
/// SHA of a script.
struct picked {
    std::string with{};
    connection_kind on = connection_kind::any;
    int times = 1;
};

/// What becomes of a request and its answer.
struct fate {
    enum class what : std::uint8_t { pass, hold_request, hold_answer, drop_answer, mangle };
    what happens = what::pass;
    ending then = ending::reset;           ///< after drop_answer
    garbage instead = garbage::wrong_type; ///< with mangle
};

/// The faults that wait for their requests. The first that fits takes the request.
class fault_list {
public:
    void add(fate what, picked which) { waiting_.push_back({what, std::move(which)}); }
    void clear() { waiting_.clear(); }
    [[nodiscard]] fate fate_of(std::string_view request, connection_kind on);

private:
    struct entry {
        fate what;
        picked which;
    };
    std::vector<entry> waiting_;
};

[[nodiscard]] constexpr bool includes(connection_kind wanted, connection_kind actual) {
    return wanted == connection_kind::any || wanted == actual;
}

[[nodiscard]] std::string garbage_for(std::string_view answer, garbage kind);

} // namespace holdfast::test
