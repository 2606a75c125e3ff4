#pragma once
// Generates histories of a correct lock, to test the checker.

#include "history/event.hpp"

#include <vector>

namespace holdfast::history {

struct generate_options {
    std::uint64_t seed{1};
    unsigned processes{8};
    /// In turn exclusive, shared and exclusive, permits.
    unsigned names{3};
    /// The history is a little longer: requests in flight are completed.
    std::size_t events{10'000};
};

/// The same options give the same history. There are holders that renew, that are killed, stopped,
/// cut off and broken; waiters that give up and that are killed; writes that come too late.
/// It is clean with `fifo` and `counter`.
[[nodiscard]] std::vector<event> generate(const generate_options& options = {});

} // namespace holdfast::history
