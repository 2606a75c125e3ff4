#include "holdfast/engine/embedded/location.hpp"

#include "holdfast/engine/embedded/failure.hpp"

#include <holdfast/error.hpp>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace holdfast::engine::embedded {

namespace {

// Room for what is appended: `-inbox/` and a UUID.
constexpr std::size_t longest_path = PATH_MAX - 64;

mode_t parse_mode(const std::string& text) {
    if (text == "0600" || text == "600") { return 0600; }
    if (text == "0660" || text == "660") { return 0660; }
    throw error{errc::invalid_url, "embedded: mode must be 0600 (only this user) or 0660 (also the "
                                   "file's group), not '" +
                                       without_user(text) + "'"};
}

} // namespace

location parse_location(const url& url) {
    url.allow_only({"mode"});
    if (!url.authority.empty()) {
        throw error{errc::invalid_url,
                    "embedded: there is no server to name; write embedded:/absolute/path"};
    }
    location out;
    out.path = url.path;
    if (!out.path.empty() && out.path.front() != '/') {
        throw error{errc::invalid_url, "embedded: the path '" + without_user(out.path) +
                                           "' is relative; write embedded:/absolute/path, so that "
                                           "all processes mean the same file"};
    }
    if (out.path.find('\0') != std::string::npos) {
        throw error{errc::invalid_url,
                    "embedded: the path has a NUL byte; write a path without it"};
    }
    if (!out.path.empty() && out.path.back() == '/') {
        throw error{errc::invalid_url, "embedded: the path '" + without_user(out.path) +
                                           "' is a folder; write embedded:/path/locks.db"};
    }
    if (out.path.size() > longest_path) {
        throw error{errc::invalid_url, "embedded: the path is longer than " +
                                           std::to_string(longest_path) +
                                           " bytes; use a shorter one"};
    }
    if (const auto mode = url.query.find("mode"); mode != url.query.end()) {
        out.mode = parse_mode(mode->second);
    }
    return out;
}

std::string user_home() {
    std::vector<char> buffer(16384);
    passwd entry{};
    passwd* found = nullptr;
    const int result = ::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found);
    const std::string user = "user " + std::to_string(::geteuid());
    if (found == nullptr) {
        throw failure{errc::store_forbidden,
                      user + " has no passwd entry" +
                          (result != 0 ? " (" + std::string{"error "} + std::to_string(result) + ")"
                                       : std::string{}) +
                          ", so there is no default file; name one: embedded:/path"};
    }
    std::string home = entry.pw_dir == nullptr ? "" : entry.pw_dir;
    struct stat status {};
    if (home.empty() || home.front() != '/' || ::stat(home.c_str(), &status) != 0 ||
        !S_ISDIR(status.st_mode)) {
        throw failure{errc::store_forbidden, "the home folder '" + home + "' of " + user +
                                                 " does not exist, so there is no default file; "
                                                 "name one: embedded:/path"};
    }
    return home;
}

std::string default_path(const std::string& home) {
    const std::string folder = home == "/" ? "" : home;
    for (const char* part : {"/.local", "/.local/state", "/.local/state/holdfast"}) {
        const std::string next = folder + part;
        if (::mkdir(next.c_str(), 0700) != 0 && errno != EEXIST) {
            throw system_failure(next, "make the folder", errno);
        }
    }
    return folder + "/.local/state/holdfast/locks.db";
}

std::string canonical_path(const std::string& path) {
    const auto resolve = [](const std::string& name) {
        struct release {
            void operator()(char* text) const noexcept { std::free(text); }
        };
        const std::unique_ptr<char, release> text{::realpath(name.c_str(), nullptr)};
        return text == nullptr ? std::string{} : std::string{text.get()};
    };
    if (std::string whole = resolve(path); !whole.empty()) { return whole; }
    if (errno != ENOENT) { throw system_failure(path, "open", errno); }
    struct stat status {};
    if (::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode)) {
        throw failure{errc::store_forbidden,
                      path +
                          " is a symbolic link that leads nowhere; remove it or make its target"};
    }
    const auto slash = path.rfind('/');
    const std::string folder = slash == 0 ? "/" : path.substr(0, slash);
    std::string parent = resolve(folder);
    if (parent.empty()) {
        const int number = errno;
        if (number == ENOENT) {
            throw failure{errc::store_forbidden,
                          "the folder " + folder + " does not exist; make it, or use another file"};
        }
        throw system_failure(folder, "open", number);
    }
    return (parent == "/" ? std::string{} : parent) + path.substr(slash);
}

} // namespace holdfast::engine::embedded
