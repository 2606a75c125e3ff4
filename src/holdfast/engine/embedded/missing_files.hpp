#pragma once
// Which of the files are there, asked so that others may make them meanwhile.

#include <functional>
#include <string>

namespace holdfast::engine::embedded {

/// What is asked of the file system; tests come between the questions.
struct file_questions {
    /// Throws failure if that cannot be told.
    std::function<bool(const std::string& path)> exists;
    /// Whether a client uses the files beside this live file. Throws failure likewise.
    std::function<bool(const std::string& live_path)> in_use;
};

[[nodiscard]] const file_questions& file_system_questions();

/// Whether the database has to be made. A new one beside the -wal and -shm of one that was removed,
/// and that others still have open, would be of no use to anybody: then throws
/// failure(store_replaced).
[[nodiscard]] bool must_be_made(const std::string& path,
                                const file_questions& ask = file_system_questions());

/// Throws failure(store_replaced) if others use the files. An empty database is only to be filled
/// if nobody does: otherwise it was emptied under them.
void demand_unused(const std::string& path, const file_questions& ask = file_system_questions());

/// Throws failure(store_replaced) if the -wal or the -shm of an existing database was removed while
/// others use it. SQLite would make a new one, which does not fit to what they have open.
void demand_complete(const std::string& path, const file_questions& ask = file_system_questions());

} // namespace holdfast::engine::embedded
