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

failure removed(const std::string& part, const std::string& database) {
    return {errc::store_replaced, part +
                                      " was moved, removed or emptied while others use it; end "
                                      "them (fuser " +
                                      live_path(database) + " says who), or put it back"};
}

} // namespace

const file_questions& file_system_questions() {
    static const file_questions ask{file_exists, live_file::in_use};
    return ask;
}

// A client makes the files before it counts as a user of them. So if there is a user, a file that
// is missing afterwards was removed; one that was missing before may have been made since.

bool must_be_made(const std::string& path, const file_questions& ask) {
    if (ask.exists(path)) { return false; }
    if (!ask.in_use(live_path(path))) { return true; }
    if (ask.exists(path)) { return false; }
    throw removed(path, path);
}

void demand_unused(const std::string& path, const file_questions& ask) {
    if (ask.in_use(live_path(path))) { throw removed(path, path); }
}

void demand_complete(const std::string& path, const file_questions& ask) {
    for (const char* end : {"-wal", "-shm"}) {
        const std::string part = path + end;
        if (ask.exists(part) || !ask.in_use(live_path(path)) || ask.exists(part)) { continue; }
        throw removed(part, path);
    }
}

} // namespace holdfast::engine::embedded
