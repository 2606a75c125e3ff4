#pragma once
// Whether locks can work where a file lies.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::engine::embedded {

/// The name of the network, cluster or user-space file system with this statfs(2) magic number;
/// nothing for those of this machine alone. SQLite's WAL needs memory that all users of the file
/// share, and their locks must be seen by all: both hold on one machine only.
[[nodiscard]] std::optional<std::string_view> unsuitable_file_system(std::uint64_t magic) noexcept;

/// Is the boot-time clock shifted, as /proc/self/timens_offsets tells it? Deadlines are boot-time,
/// so processes of two time namespaces would disagree about them.
[[nodiscard]] bool has_boottime_offset(std::string_view timens_offsets) noexcept;

/// Throws failure(store_unsuitable) if the file lies on a network or this process's clock is
/// shifted.
void demand_suitable(const std::string& path);

} // namespace holdfast::engine::embedded
