#include "holdfast/engine/embedded/checkup.hpp"

#include "holdfast/engine/embedded/failure.hpp"
#include "holdfast/engine/embedded/file_system.hpp"
#include "holdfast/engine/embedded/location.hpp"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace holdfast::engine::embedded {

namespace {

constexpr std::uint64_t mebibyte = 1U << 20U;

std::string folder_of(const std::string& path) {
    const auto slash = path.rfind('/');
    return slash == 0 ? "/" : path.substr(0, slash);
}

file_facts collect(const std::string& path) {
    file_facts out;
    out.path = path;
    const auto folder = folder_of(path);
    struct stat found {};
    if (::stat(folder.c_str(), &found) == 0) { out.folder_mode = found.st_mode; }
    out.can_write = ::euidaccess(folder.c_str(), R_OK | W_OK | X_OK) == 0;
    if (::stat(path.c_str(), &found) == 0) {
        out.exists = true;
        out.mode = found.st_mode;
        out.is_ours = found.st_uid == ::geteuid();
        out.links = found.st_nlink;
        out.can_write = out.can_write && ::euidaccess(path.c_str(), R_OK | W_OK) == 0;
    }
    struct statvfs space {};
    if (::statvfs(folder.c_str(), &space) == 0) {
        out.free_bytes = static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize;
    }
    return out;
}

void judge_rights(const file_facts& facts, checkup& out) {
    if (!facts.can_write) {
        out.danger("rights", facts.path,
                   "this user may not write the file or its folder, so it can take no lock",
                   "correct owner, group and mode of both; users share a file by a folder with "
                   "chmod 2770 and ?mode=0660");
    } else if ((facts.mode & S_IWOTH) != 0 ||
               ((facts.folder_mode & S_IWOTH) != 0 && (facts.folder_mode & S_ISVTX) == 0)) {
        out.danger("rights", facts.path,
                   "every user of this machine can change or replace the file, and so take, "
                   "release and forge locks",
                   "chmod o-rwx the file and its folder");
    } else if ((facts.folder_mode & S_IWOTH) != 0) {
        out.warn("rights", facts.path,
                 "every user can create files in its folder, also one of this name before you do",
                 "use a folder that only the users of the locks can write to");
    } else if ((facts.mode & S_IROTH) != 0) {
        out.warn("rights", facts.path, "every user of this machine can read names and notes",
                 "chmod o-rwx the file");
    } else {
        out.ok("rights", facts.path,
               facts.exists ? "this user may use it, and strangers may not"
                            : "it does not exist yet: the first lock creates it");
    }
    if (facts.links > 1) {
        out.danger("rights", facts.path,
                   "it has " + std::to_string(facts.links) +
                       " hard links: users by different names do not see each other's locks",
                   "remove the other links");
    }
}

} // namespace

void judge_file(const file_facts& facts, checkup& out) {
    if (facts.path.starts_with("/tmp/") || facts.path.starts_with("/var/tmp/")) {
        out.warn("place", facts.path,
                 "jobs that clean this folder delete the file or what is beside it while it is in "
                 "use",
                 "use a folder of your own, e.g. /var/lib/NAME");
    } else {
        out.ok("place", facts.path, "it is on a local file system");
    }
    judge_rights(facts, out);
    if (facts.free_bytes < 4 * mebibyte) {
        out.danger("space", facts.path, "its file system is full: nobody can acquire a lock",
                   "make room");
    } else if (facts.free_bytes < 64 * mebibyte) {
        out.warn("space", facts.path,
                 "its file system has only " + std::to_string(facts.free_bytes / mebibyte) +
                     " MiB left",
                 "make room: when it is full nobody can acquire a lock");
    } else {
        out.ok("space", facts.path,
               std::to_string(facts.free_bytes / mebibyte) + " MiB are free there");
    }
}

checkup check_up(const url& url, const checkup_terms& /*terms*/) {
    checkup out;
    std::string subject = "embedded:";
    try {
        auto place = parse_location(url);
        if (place.path.empty()) { place.path = default_path(user_home()); }
        subject = place.path;
        const auto path = canonical_path(place.path);
        const auto facts = collect(path);
        check_suitable(facts.exists ? path : folder_of(path));
        judge_file(facts, out);
    } catch (const failure& wrong) {
        out.danger(wrong.code() == errc::store_unsuitable ? "place" : "rights", subject,
                   wrong.what(), advice(wrong.code()));
        out.usable = false;
    }
    return out;
}

} // namespace holdfast::engine::embedded
