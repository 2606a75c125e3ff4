#pragma once
// Drives a net::stream as an engine does: poll for what it wants, then let it go on.

#include "holdfast/net/stream.hpp"
#include "support/timing.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace holdfast::test {

/// Until it is open or has failed, or the time is over.
void open(net::stream& stream, milliseconds within = long_wait);

/// Until all is written, or it has failed: how much was taken.
std::size_t write_all(net::stream& stream, std::string_view bytes, milliseconds within = long_wait);

/// Until nothing more is taken, although what was sent had time to get away: how much was.
[[nodiscard]] std::size_t fill(net::stream& stream, std::string_view bytes);

/// Until there are `count` bytes, or it has failed.
[[nodiscard]] std::string read_some(net::stream& stream, std::size_t count,
                                    milliseconds within = long_wait);

/// Until it has failed; what was read before.
[[nodiscard]] std::string read_to_end(net::stream& stream, milliseconds within = long_wait);

/// Whether poll says that there is something to do.
[[nodiscard]] bool is_ready(const net::stream& stream, milliseconds within);

/// Bytes in which every place differs from its neighbours, so that a lost or doubled one shows.
[[nodiscard]] std::string many_bytes(std::size_t count);

/// For messages of tests: the state, and why.
[[nodiscard]] std::string describe(const net::stream& stream);

} // namespace holdfast::test
