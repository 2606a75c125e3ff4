#pragma once
// Pins client and server to cpus.

#include <string_view>
#include <sys/types.h>

namespace holdfast::bench::redis {

enum class placement {
    pinned,   ///< client and server on one cpu: the most stable comparison
    split,    ///< client on one cpu, server on another
    unpinned, ///< the kernel decides
};

[[nodiscard]] std::string_view text(placement placement) noexcept;

/// Pins all threads of this process and of the server; threads and processes that are started later
/// inherit it. Throws std::runtime_error if there is only one cpu to split.
void place(placement placement, ::pid_t server);

} // namespace holdfast::bench::redis
