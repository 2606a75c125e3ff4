#pragma once
// Whether the open files are still where they were opened.

#include "holdfast/base/fd.hpp"

#include <array>
#include <string>
#include <sys/stat.h>

namespace holdfast::engine::embedded {

/// The database, its -wal and its -shm. Whoever removes or replaces one of them takes the locks of
/// all with it: a client that went on with the old ones would exclude nobody.
class placement {
public:
    placement() = default;
    /// REQUIRES: SQLite has them open. Throws failure, store_replaced if one of them is missing.
    explicit placement(const std::string& database);

    /// Throws failure(store_replaced) if one of them was moved, removed or replaced. What cannot be
    /// told, because this process has changed its user or its root, counts as in place.
    void demand() const;

private:
    struct opened_file {
        std::string path;
        /// O_PATH: opens nothing, so closing it does not drop SQLite's POSIX locks on the file.
        base::fd handle;
        dev_t device = 0;
        ino_t inode = 0;
    };
    [[nodiscard]] bool is_gone(const opened_file& file) const noexcept;

    std::array<opened_file, 3> files_;
    struct stat root_ {}; ///< of this process when it opened them
};

} // namespace holdfast::engine::embedded
