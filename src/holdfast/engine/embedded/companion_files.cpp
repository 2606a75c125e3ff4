#include "holdfast/engine/embedded/companion_files.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace holdfast::engine::embedded {

namespace {

constexpr auto keep_owner = static_cast<uid_t>(-1);

} // namespace

// That a group cannot be set (the user is not in it) or a mode (not the owner) is found out by
// whoever cannot open the file; here it is no reason to stop.
void resemble(int file, const struct stat& database) noexcept {
    [[maybe_unused]] const int owned = ::fchown(file, keep_owner, database.st_gid);
    [[maybe_unused]] const int moded = ::fchmod(file, database.st_mode & 0666U);
}

void resemble(const std::string& path, mode_t mode, const struct stat& database) noexcept {
    [[maybe_unused]] const int owned =
        ::fchownat(AT_FDCWD, path.c_str(), keep_owner, database.st_gid, AT_SYMLINK_NOFOLLOW);
    [[maybe_unused]] const int moded = ::chmod(path.c_str(), mode);
}

} // namespace holdfast::engine::embedded
