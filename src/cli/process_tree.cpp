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
    bool runs = false;
};

/// The fields after the name, which may itself hold spaces and brackets: `pid (name) state ppid`.
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
        const auto path = std::string{"/proc/"} + name + "/stat";
        const base::fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
        std::string text(512, '\0');
        const auto got = file ? ::read(file.get(), text.data(), text.size()) : -1;
        if (got <= 0) { continue; }
        text.resize(static_cast<std::size_t>(got));
        const auto close = text.rfind(')');
        if (close == std::string::npos || close + 4 >= text.size()) { continue; }
        relation one;
        const char state = text[close + 2];
        one.runs = state != 'Z' && state != 'X';
        std::from_chars(text.data() + close + 4, text.data() + text.size(), one.parent);
        out.emplace(pid, one);
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
        if (pid != root && pid != spare && one.runs && descends(all, pid, root)) {
            out.push_back(pid);
        }
    }
    return out;
}

void signal_tree(pid_t root, int signal, pid_t spare) {
    for (const auto pid : descendants(root, spare)) { ::kill(pid, signal); }
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
