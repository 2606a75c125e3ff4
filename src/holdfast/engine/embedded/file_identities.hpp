#pragma once
// The identities of the open files, to notice that one was moved, removed or replaced.

#include "holdfast/base/fd.hpp"

#include <array>
#include <string>
#include <sys/stat.h>

namespace holdfast::engine::embedded {

/// Device and inode of the database, its -wal and its -shm. If one of them is removed or replaced,
/// a client that continued with the old files would exclude nobody.
class file_identities {
public:
    file_identities() = default;
    /// REQUIRES: SQLite has them open. Throws failure (store_replaced if one of them is missing).
    explicit file_identities(const std::string& database);

    /// Throws failure(store_replaced) if one of them was moved, removed or replaced. If that cannot
    /// be determined, because this process has changed its user or root, they count as in place.
    void check() const;

private:
    struct opened_file {
        std::string path;
        /// O_PATH: closing it does not drop SQLite's POSIX locks on the file.
        base::fd handle;
        dev_t device = 0;
        ino_t inode = 0;
    };
    [[nodiscard]] bool is_gone(const opened_file& file) const noexcept;

    std::array<opened_file, 3> files_;
    struct stat root_ {}; ///< the root folder of this process when it opened them
};

} // namespace holdfast::engine::embedded
