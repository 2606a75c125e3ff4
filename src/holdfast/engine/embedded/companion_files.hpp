#pragma once
// Paths of the files beside the database, and how they get its mode and group.

#include <string>
#include <sys/stat.h>
#include <sys/types.h>

namespace holdfast::engine::embedded {

[[nodiscard]] inline std::string live_path(const std::string& database) {
    return database + "-live";
}
[[nodiscard]] inline std::string inbox_folder(const std::string& database) {
    return database + "-inbox";
}

/// Gives an open file the mode and, where permitted, the group of the database, whatever the umask.
void copy_access(int file, const struct stat& database) noexcept;

/// The same by path, for a FIFO or a folder.
void copy_access(const std::string& path, mode_t mode, const struct stat& database) noexcept;

/// The mode of a folder for files of this mode: whoever may read them may search it.
[[nodiscard]] constexpr mode_t folder_mode(mode_t file_mode) noexcept {
    return (file_mode & 0666U) | ((file_mode & 0444U) >> 2U);
}

} // namespace holdfast::engine::embedded
