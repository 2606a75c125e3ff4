#include "cli/child_processes.hpp"

#include <sys/wait.h>
#include <unistd.h>

namespace holdfast::cli {

namespace {

constexpr pid_t largest_pid = 4'194'304;    // PID_MAX_LIMIT of Linux; trying all takes seconds
constexpr pid_t usual_largest_pid = 32'768; // the default of kernel.pid_max, where pids wrap around

/// WNOWAIT: a child that has exited can still be waited for.
bool runs(idtype_t id_type, id_t id) noexcept {
    siginfo_t info{};
    const bool is_child = ::waitid(id_type, id, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0;
    return is_child && info.si_pid == 0; // it has not exited
}

void append_running(std::vector<pid_t>& children, pid_t first, pid_t last, pid_t excluded) {
    for (pid_t pid = first; pid <= last; ++pid) {
        if (pid != excluded && runs(P_PID, static_cast<id_t>(pid))) { children.push_back(pid); }
    }
}

/// The pid that the kernel assigns now, found by a process that exits at once. 0: fork failed.
pid_t newest_pid() noexcept {
    const auto probe = ::_Fork();
    if (probe == 0) { ::_exit(0); }
    if (probe < 0) { return 0; }
    ::waitpid(probe, nullptr, 0);
    return probe;
}

} // namespace

bool some_child_runs() noexcept { return runs(P_ALL, 0); }

std::vector<pid_t> running_children(pid_t excluded) {
    std::vector<pid_t> out;
    const auto own = ::getpid();
    const auto newest = newest_pid();
    // Pids rise, and wrap around at the end.
    if (newest > own) {
        append_running(out, own + 1, newest - 1, excluded);
    } else {
        append_running(out, own + 1, usual_largest_pid, excluded);
        append_running(out, 1, newest > 0 ? newest - 1 : own - 1, excluded);
    }
    const bool others = out.empty() && excluded == 0 && some_child_runs();
    if (others) { append_running(out, 1, usual_largest_pid, excluded); }
    if (others && out.empty()) {
        append_running(out, usual_largest_pid + 1, largest_pid, excluded);
    }
    return out;
}

} // namespace holdfast::cli
