#include "holdfast/engine/embedded/missing_files.hpp"

#include "holdfast/engine/embedded/companion_files.hpp"
#include "holdfast/engine/embedded/failure.hpp"
#include "holdfast/engine/embedded/live_file.hpp"

#include <cerrno>
#include <sys/stat.h>

namespace holdfast::engine::embedded {

namespace {

bool file_exists(const std::string& path) {
    struct stat file {};
    if (::stat(path.c_str(), &file) == 0) { return true; }
    if (errno != ENOENT) { throw system_failure(path, "open", errno); }
    return false;
}

failure removed_failure(const std::string& part, const std::string& database) {
    return {errc::store_replaced, part +
                                      " was moved, removed or emptied while others use it; end "
                                      "them (fuser " +
                                      live_path(database) + " says who), or put it back"};
}

} // namespace

const file_checks& default_file_checks() {
    static const file_checks checks{file_exists, live_file::in_use};
    return checks;
}

// A client creates the files before it counts as a user of them. So if there is a user, a file that
// is missing after that check was removed; one that was missing before it may be new.

bool must_create(const std::string& path, const file_checks& checks) {
    if (checks.exists(path)) { return false; }
    if (!checks.in_use(live_path(path))) { return true; }
    if (checks.exists(path)) { return false; }
    throw removed_failure(path, path);
}

void check_unused(const std::string& path, const file_checks& checks) {
    if (checks.in_use(live_path(path))) { throw removed_failure(path, path); }
}

void check_complete(const std::string& path, const file_checks& checks) {
    for (const char* end : {"-wal", "-shm"}) {
        const std::string part = path + end;
        if (checks.exists(part) || !checks.in_use(live_path(path)) || checks.exists(part)) {
            continue;
        }
        throw removed_failure(part, path);
    }
}

} // namespace holdfast::engine::embedded
