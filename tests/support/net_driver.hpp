#pragma once
// Drives a net::stream as an engine does: polls it, then calls progress().

#include "holdfast/net/stream.hpp"
#include "support/timing.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace holdfast::test {

/// Runs until the stream is open or has failed, or the time-out ends.
void open(net::stream& stream, milliseconds within = long_wait);

/// Runs until all is written, or the stream has failed. Returns how much was accepted.
std::size_t write_all(net::stream& stream, std::string_view bytes, milliseconds within = long_wait);

/// Writes until the buffers are full, i.e. nothing more is accepted for 20 ms. Returns how much
/// was.
[[nodiscard]] std::size_t fill(net::stream& stream, std::string_view bytes);

/// Reads until there are `count` bytes, or the stream has failed.
[[nodiscard]] std::string read_some(net::stream& stream, std::size_t count,
                                    milliseconds within = long_wait);

/// Reads until the stream has failed. Returns what was read before.
[[nodiscard]] std::string read_to_end(net::stream& stream, milliseconds within = long_wait);

/// Whether poll() reports an event.
[[nodiscard]] bool is_ready(const net::stream& stream, milliseconds within);

/// Bytes that all differ from their neighbours, so that a lost or doubled byte is detected.
[[nodiscard]] std::string many_bytes(std::size_t count);

/// For messages of tests: the state, and the failure.
[[nodiscard]] std::string describe(const net::stream& stream);

} // namespace holdfast::test
