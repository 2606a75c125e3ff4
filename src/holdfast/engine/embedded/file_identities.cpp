#include "holdfast/engine/embedded/file_identities.hpp"

#include "holdfast/engine/embedded/failure.hpp"

#include <cerrno>
#include <fcntl.h>

namespace holdfast::engine::embedded {

namespace {

failure replaced_failure(const std::string& path) {
    return {errc::store_replaced, path +
                                      " was moved or removed while in use, so locks may be "
                                      "lost; " +
                                      advice(errc::store_replaced)};
}

} // namespace

file_identities::file_identities(const std::string& database) {
    if (::stat("/", &root_) != 0) { throw system_failure("/", "find", errno); }
    const std::array<const char*, 3> ends{"", "-wal", "-shm"};
    for (std::size_t at = 0; at < files_.size(); ++at) {
        opened_file& file = files_.at(at);
        file.path = database + ends.at(at);
        file.handle = base::fd{::open(file.path.c_str(), O_PATH | O_CLOEXEC)};
        if (!file.handle && errno == ENOENT) { throw replaced_failure(file.path); }
        struct stat found {};
        if (!file.handle || ::fstat(file.handle.get(), &found) != 0) {
            throw system_failure(file.path, "find", errno);
        }
        file.device = found.st_dev;
        file.inode = found.st_ino;
    }
}

void file_identities::check() const {
    for (const opened_file& file : files_) {
        if (is_gone(file)) { throw replaced_failure(file.path); }
    }
}

bool file_identities::is_gone(const opened_file& file) const noexcept {
    struct stat found {};
    const bool there = ::stat(file.path.c_str(), &found) == 0;
    if (there && found.st_dev == file.device && found.st_ino == file.inode) { return false; }
    struct stat root {};
    const bool path_tells = (there || errno == ENOENT) && ::stat("/", &root) == 0 &&
                            root.st_dev == root_.st_dev && root.st_ino == root_.st_ino;
    if (path_tells) { return true; }
    // The process may have lost access to the folder, or the path means another file since a
    // chroot. The link count of the file still shows whether it was removed.
    return ::fstat(file.handle.get(), &found) == 0 && found.st_nlink == 0;
}

} // namespace holdfast::engine::embedded
