#pragma once
// What can be made to go wrong between a client and a Redis server, and which requests or pushes
// it befalls.

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
    silence, ///< not at all: it stays open, and nothing comes through any more, either way
};

/// What takes the place of an answer or a push.
enum class garbage : std::uint8_t {
    wrong_type,  ///< `?what`: no type of the protocol
    huge_string, ///< begins a string of 10^14 bytes
    huge_list,   ///< begins a list of 2^31 - 1 items
    no_number,   ///< `:12x4`
    noise,       ///< bytes without a line end, then a line end
    truncated,   ///< the first half of it; then the connection closes
};

inline constexpr int for_good = std::numeric_limits<int>::max();

/// Which requests, or which pushes: the next `times` ones that hold these bytes anywhere, e.g. in a
/// name or as the SHA of a script.
struct picked {
    std::string with{};
    int times = 1;
};

/// What becomes of a request and its answer, or of a push.
struct op_status {
    enum class what : std::uint8_t { pass, hold_request, hold_answer, drop_answer, mangle };
    what happens = what::pass;             ///< a push is an answer here
    ending then = ending::reset;           ///< after drop_answer, but for a push
    garbage instead = garbage::wrong_type; ///< with mangle
};

/// The faults that wait for their requests, or pushes. The first that fits takes it.
class fault_list {
public:
    void add(op_status status, picked which) { waiting_.push_back({status, std::move(which)}); }
    void clear() { waiting_.clear(); }
    [[nodiscard]] op_status fate_of(std::string_view bytes);

private:
    struct entry {
        op_status status;
        picked which;
    };
    std::vector<entry> waiting_;
};

[[nodiscard]] std::string garbage_for(std::string_view answer, garbage kind);

} // namespace holdfast::test
