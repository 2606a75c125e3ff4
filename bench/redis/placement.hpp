#pragma once
// On which cpus client and server run.

#include <string_view>
#include <sys/types.h>

namespace holdfast::bench::redis {

enum class placement {
    pinned,   ///< client and server on one cpu: the stable way to compare code
    split,    ///< client on one cpu, server on another
    unpinned, ///< wherever the kernel likes
};

[[nodiscard]] std::string_view text(placement where) noexcept;

/// This process and the server, all their threads; threads and processes that are started later
/// inherit it. Throws std::runtime_error where there is only one cpu to split on.
void place(placement where, ::pid_t server);

} // namespace holdfast::bench::redis
