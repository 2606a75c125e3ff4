#pragma once
// Whether locks work on the file system of a file.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::engine::embedded {

/// The name of the network, cluster or user-space file system with this statfs(2) magic number;
/// empty for a local one. All users of the file must share memory for SQLite's WAL and see each
/// other's locks: that works on one machine only.
[[nodiscard]] std::optional<std::string_view> unsuitable_file_system(std::uint64_t magic) noexcept;

/// Whether /proc/self/timens_offsets shifts the boot-time clock. Deadlines are boot-time, so
/// processes of two time namespaces would disagree about them.
[[nodiscard]] bool has_boottime_offset(std::string_view timens_offsets) noexcept;

/// Throws failure(store_unsuitable) if the file is not on a local file system, or if this process's
/// boot-time clock is shifted.
void check_suitable(const std::string& path);

} // namespace holdfast::engine::embedded
