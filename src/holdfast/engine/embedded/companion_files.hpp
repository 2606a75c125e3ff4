#pragma once
// The files beside the database, and how they come to be as accessible as it is.

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

/// Gives an open file the mode and, where allowed, the group of the database, whatever the umask.
void resemble(int file, const struct stat& database) noexcept;

/// The same for what cannot be opened first: a FIFO, a folder.
void resemble(const std::string& path, mode_t mode, const struct stat& database) noexcept;

/// Who may read files may search folders.
[[nodiscard]] constexpr mode_t folder_mode(mode_t file_mode) noexcept {
    return (file_mode & 0666U) | ((file_mode & 0444U) >> 2U);
}

} // namespace holdfast::engine::embedded
