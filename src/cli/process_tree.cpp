#include "cli/process_tree.hpp"

#include "holdfast/base/fd.hpp"

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
#include <sys/prctl.h>
#include <thread>
#include <unistd.h>

namespace holdfast::cli {

namespace {

struct relation {
    pid_t parent = 0;
    char state = '\0'; ///< as in ps
    [[nodiscard]] bool runs() const noexcept { return state != 'Z' && state != 'X'; }
};

/// The fields after the name, which may itself hold spaces and brackets: `pid (name) state ppid`.
/// The state is 0 if there is no such process.
relation look_at(const char* pid) {
    relation out;
    const auto path = std::string{"/proc/"} + pid + "/stat";
    const base::fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    std::string text(512, '\0');
    const auto got = file ? ::read(file.get(), text.data(), text.size()) : -1;
    if (got <= 0) { return out; }
    text.resize(static_cast<std::size_t>(got));
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
        const auto one = look_at(name);
        if (one.state != '\0') { out.emplace(pid, one); }
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

void adopt_orphans() noexcept { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

std::vector<pid_t> descendants(pid_t root, pid_t spare) {
    std::vector<pid_t> out;
    const auto all = all_processes();
    for (const auto& [pid, one] : all) {
        if (pid != root && pid != spare && one.runs() && descends(all, pid, root)) {
            out.push_back(pid);
        }
    }
    return out;
}

void signal_tree(pid_t root, int signal) {
    for (const auto pid : descendants(root)) { ::kill(pid, signal); }
}

void signal_group_in_tree(pid_t root, int signal, pid_t group) {
    for (const auto pid : descendants(root)) {
        if (::getpgid(pid) == group) { ::kill(pid, signal); }
    }
}

bool is_stopped(pid_t pid) {
    const char state = look_at(std::to_string(pid).c_str()).state;
    return state == 'T' || state == 't';
}

bool kill_tree(pid_t root, pid_t spare) {
    for (int round = 0; round < 200; ++round) {
        const auto left = descendants(root, spare);
        if (left.empty()) { return true; }
        for (const auto pid : left) { ::kill(pid, SIGKILL); }
        std::this_thread::sleep_for(std::chrono::milliseconds{round < 10 ? 1 : 10});
    }
    return false;
}

} // namespace holdfast::cli
