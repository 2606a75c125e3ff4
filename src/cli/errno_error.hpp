#pragma once
// A failed system call as an exception whose text is one sentence: std::system_error would append
// the text of its category.

#include <stdexcept>
#include <string>
#include <system_error>

namespace holdfast::cli {

inline constexpr const char* raise_file_limit = "raise the limit on open files (ulimit -n)";
inline constexpr const char* raise_process_limit =
    "raise the limit on processes and threads (ulimit -u, or pids.max of the cgroup)";

/// "cannot fork (Resource temporarily unavailable): raise the limit ..."
[[nodiscard]] inline std::runtime_error errno_error(const std::string& failure, int number,
                                                    const char* advice) {
    return std::runtime_error{failure + " (" + std::generic_category().message(number) +
                              "): " + advice};
}

} // namespace holdfast::cli
