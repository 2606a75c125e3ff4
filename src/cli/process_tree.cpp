#include "cli/process_tree.hpp"

#include "cli/children.hpp"
#include "holdfast/base/fd.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace holdfast::cli {

namespace {

struct relation {
    pid_t parent = 0;
    char state = '\0'; ///< as in ps
    [[nodiscard]] bool runs() const noexcept { return state != 'Z' && state != 'X'; }
};

/// Empty: it cannot be read.
std::string content_of(const std::string& path, std::size_t most) {
    const base::fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    std::string text(most, '\0');
    const auto got = file ? ::read(file.get(), text.data(), text.size()) : -1;
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return text;
}

/// The fields after the name, which may itself hold spaces and brackets: `pid (name) state ppid`.
/// The state is 0 if there is no such process.
relation look_at(const char* pid) {
    relation out;
    const auto text = content_of(std::string{"/proc/"} + pid + "/stat", 512);
    const auto close = text.rfind(')');
    if (close == std::string::npos || close + 4 >= text.size()) { return out; }
    out.state = text[close + 2];
    std::from_chars(text.data() + close + 4, text.data() + text.size(), out.parent);
    return out;
}

std::map<pid_t, relation> all_processes() {
    std::map<pid_t, relation> out;
    const std::unique_ptr<DIR, int (*)(DIR*)> folder{::opendir("/proc"), &::closedir};
    while (folder != nullptr) {
        const dirent* const entry = ::readdir(folder.get()); // NOLINT(concurrency-mt-unsafe)
        if (entry == nullptr) { break; }
        const char* const name = &entry->d_name[0];
        pid_t pid = 0;
        const auto* const end = name + std::strlen(name);
        if (std::from_chars(name, end, pid).ptr != end) { continue; }
        const auto relation = look_at(name);
        if (relation.state != '\0') { out.emplace(pid, relation); }
    }
    return out;
}

bool descends(const std::map<pid_t, relation>& all, pid_t pid, pid_t root) {
    for (int depth = 0; depth < 1'000; ++depth) {
        const auto found = all.find(pid);
        if (found == all.end()) { return false; }
        pid = found->second.parent;
        if (pid == root) { return true; }
        if (pid <= 1) { return false; }
    }
    return false;
}

} // namespace

void adopt_orphans() {
    if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
        throw std::system_error{errno, std::generic_category(),
                                "this system cannot keep track of what the command starts "
                                "(PR_SET_CHILD_SUBREAPER)"};
    }
}

bool sees_whole_tree() {
    const auto own = std::to_string(::getpid());
    const auto status = content_of("/proc/self/status", 16'384);
    // Our number in the namespace that /proc is of, then in each one within it, down to our own.
    constexpr std::string_view field = "\nNSpid:\t";
    const auto at = status.find(field);
    if (at != std::string::npos) {
        const auto begin = at + field.size();
        return status.substr(begin, status.find('\n', begin) - begin) == own;
    }
    std::string link(own.size() + 1, '\0'); // a kernel that does not say so
    const auto got = ::readlink("/proc/self", link.data(), link.size());
    return got == static_cast<ssize_t>(own.size()) && link.starts_with(own);
}

std::vector<pid_t> descendants(pid_t spare) {
    if (!sees_whole_tree()) { return running_children(spare); }
    std::vector<pid_t> out;
    const auto root = ::getpid();
    const auto all = all_processes();
    for (const auto& [pid, each] : all) {
        if (pid != root && pid != spare && each.runs() && descends(all, pid, root)) {
            out.push_back(pid);
        }
    }
    // As /proc may be mounted (hidepid), it does not show what runs as another user.
    if (out.empty() && spare == 0 && some_child_runs()) { return running_children(); }
    return out;
}

void signal_group_in_tree(int signal, pid_t group) {
    for (const auto pid : descendants()) {
        if (::getpgid(pid) == group) { ::kill(pid, signal); }
    }
}

bool is_stopped(pid_t pid) {
    if (!sees_whole_tree()) { return false; }
    const char state = look_at(std::to_string(pid).c_str()).state;
    return state == 'T' || state == 't';
}

bool kill_tree(pid_t spare) {
    for (int round = 0; round < 200; ++round) {
        const auto left = descendants(spare);
        if (left.empty()) { return true; }
        for (const auto pid : left) { ::kill(pid, SIGKILL); }
        std::this_thread::sleep_for(std::chrono::milliseconds{round < 10 ? 1 : 10});
    }
    return false;
}

} // namespace holdfast::cli
