#include "holdfast/engine/embedded/companion_files.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace holdfast::engine::embedded {

namespace {

constexpr auto keep_owner = static_cast<uid_t>(-1);

} // namespace

// Errors are ignored: this user may not be in the group, or not be the owner. A user that then
// cannot open the file gets an error of its own.
void copy_access(int file, const struct stat& database) noexcept {
    [[maybe_unused]] const int owned = ::fchown(file, keep_owner, database.st_gid);
    [[maybe_unused]] const int moded = ::fchmod(file, database.st_mode & 0666U);
}

void copy_access(const std::string& path, mode_t mode, const struct stat& database) noexcept {
    [[maybe_unused]] const int owned =
        ::fchownat(AT_FDCWD, path.c_str(), keep_owner, database.st_gid, AT_SYMLINK_NOFOLLOW);
    [[maybe_unused]] const int moded = ::chmod(path.c_str(), mode);
}

} // namespace holdfast::engine::embedded
