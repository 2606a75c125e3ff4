#include "cli/process_tree.hpp"

#include "cli/child_processes.hpp"
#include "cli/errno_error.hpp"
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
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace holdfast::cli {

namespace {

struct process_info {
    pid_t parent = 0;
    char state = '\0'; ///< as in ps; 0: no such process
    [[nodiscard]] bool runs() const noexcept { return state != 'Z' && state != 'X'; }
};

/// Empty if it cannot be read.
std::string read_file(const std::string& path, std::size_t max_size) {
    const base::fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    std::string text(max_size, '\0');
    const auto length = file ? ::read(file.get(), text.data(), text.size()) : -1;
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
    return text;
}

/// Parses `pid (name) state ppid` from behind, because the name may contain spaces and brackets.
process_info read_process(const char* pid) {
    process_info out;
    const auto text = read_file(std::string{"/proc/"} + pid + "/stat", 512);
    const auto close = text.rfind(')');
    if (close == std::string::npos || close + 4 >= text.size()) { return out; }
    out.state = text[close + 2];
    std::from_chars(text.data() + close + 4, text.data() + text.size(), out.parent);
    return out;
}

std::map<pid_t, process_info> all_processes() {
    std::map<pid_t, process_info> out;
    const std::unique_ptr<DIR, int (*)(DIR*)> folder{::opendir("/proc"), &::closedir};
    while (folder != nullptr) {
        const dirent* const entry = ::readdir(folder.get()); // NOLINT(concurrency-mt-unsafe)
        if (entry == nullptr) { break; }
        const char* const name = &entry->d_name[0];
        pid_t pid = 0;
        const auto* const end = name + std::strlen(name);
        if (std::from_chars(name, end, pid).ptr != end) { continue; }
        const auto process = read_process(name);
        if (process.state != '\0') { out.emplace(pid, process); }
    }
    return out;
}

bool is_descendant(const std::map<pid_t, process_info>& all, pid_t pid, pid_t root) {
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
        throw errno_error("cannot adopt the processes that the command leaves behind", errno,
                          "use a kernel and a sandbox that allow PR_SET_CHILD_SUBREAPER");
    }
}

bool sees_whole_tree() {
    const auto own = std::to_string(::getpid());
    const auto status = read_file("/proc/self/status", 16'384);
    // Our pid in the namespace of /proc, then in each nested namespace, down to our own.
    constexpr std::string_view field = "\nNSpid:\t";
    const auto at = status.find(field);
    if (at != std::string::npos) {
        const auto begin = at + field.size();
        return status.substr(begin, status.find('\n', begin) - begin) == own;
    }
    std::string link(own.size() + 1, '\0'); // a kernel without NSpid
    const auto length = ::readlink("/proc/self", link.data(), link.size());
    return length == static_cast<ssize_t>(own.size()) && link.starts_with(own);
}

std::vector<pid_t> descendants(pid_t excluded) {
    if (!sees_whole_tree()) { return running_children(excluded); }
    std::vector<pid_t> out;
    const auto root = ::getpid();
    const auto all = all_processes();
    for (const auto& [pid, process] : all) {
        if (pid != root && pid != excluded && process.runs() && is_descendant(all, pid, root)) {
            out.push_back(pid);
        }
    }
    // With the mount option hidepid, /proc does not show other users' processes.
    if (out.empty() && excluded == 0 && some_child_runs()) { return running_children(); }
    return out;
}

void signal_group_in_tree(int signal, pid_t group) {
    for (const auto pid : descendants()) {
        if (::getpgid(pid) == group) { ::kill(pid, signal); }
    }
}

bool is_stopped(pid_t pid) {
    if (!sees_whole_tree()) { return false; }
    const char state = read_process(std::to_string(pid).c_str()).state;
    return state == 'T' || state == 't';
}

bool kill_tree(pid_t excluded) {
    for (int round = 0; round < 200; ++round) {
        const auto left = descendants(excluded);
        if (left.empty()) { return true; }
        for (const auto pid : left) { ::kill(pid, SIGKILL); }
        std::this_thread::sleep_for(std::chrono::milliseconds{round < 10 ? 1 : 10});
    }
    return false;
}

void kill_tree_and_orphans() {
    for (int round = 0; round < 10 && kill_tree(); ++round) {
        while (::waitpid(-1, nullptr, WNOHANG) > 0) {}
        if (!some_child_runs()) { return; }
    }
}

} // namespace holdfast::cli
