#pragma once
// Checks for files that were removed while in use, safe against others that create them meanwhile.

#include <functional>
#include <string>

namespace holdfast::engine::embedded {

/// The checks of the file system; tests replace them to act between two checks.
struct file_checks {
    /// Throws failure if that cannot be determined.
    std::function<bool(const std::string& path)> exists;
    /// Whether a client uses the files beside this live file. Throws failure likewise.
    std::function<bool(const std::string& live_path)> in_use;
};

[[nodiscard]] const file_checks& default_file_checks();

/// Whether the database must be created. Throws failure(store_replaced) if it was removed while
/// others have it open: a new one beside the old -wal and -shm would be of no use.
[[nodiscard]] bool must_create(const std::string& path,
                               const file_checks& checks = default_file_checks());

/// Throws failure(store_replaced) if others use the files. An empty database that is in use was
/// truncated and must not be initialized.
void check_unused(const std::string& path, const file_checks& checks = default_file_checks());

/// Throws failure(store_replaced) if the -wal or the -shm of an existing database was removed while
/// others use it. SQLite would create a new one, separate from the one they have open.
void check_complete(const std::string& path, const file_checks& checks = default_file_checks());

} // namespace holdfast::engine::embedded
