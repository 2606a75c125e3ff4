#include "cli/children.hpp"

#include <sys/wait.h>
#include <unistd.h>

namespace holdfast::cli {

namespace {

constexpr pid_t largest_pid = 4'194'304; // PID_MAX_LIMIT of Linux: to try them all takes seconds
constexpr pid_t usual_largest = 32'768;  // where numbers begin anew, unless that was set otherwise

/// Leaves everything as it is: also a child that has ended can still be waited for.
bool runs(idtype_t which, id_t number) noexcept {
    siginfo_t info{};
    const bool is_child = ::waitid(which, number, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0;
    return is_child && info.si_pid == 0; // no news of it
}

void add_range(std::vector<pid_t>& to, pid_t first, pid_t last, pid_t spare) {
    for (pid_t pid = first; pid <= last; ++pid) {
        if (pid != spare && runs(P_PID, static_cast<id_t>(pid))) { to.push_back(pid); }
    }
}

/// The number that the kernel gives out now, by a process that ends at once. 0: there is none to be
/// had.
pid_t newest_pid() noexcept {
    const auto probe = ::_Fork();
    if (probe == 0) { ::_exit(0); }
    if (probe < 0) { return 0; }
    ::waitpid(probe, nullptr, 0);
    return probe;
}

} // namespace

bool some_child_runs() noexcept { return runs(P_ALL, 0); }

std::vector<pid_t> running_children(pid_t spare) {
    std::vector<pid_t> out;
    const auto own = ::getpid();
    const auto newest = newest_pid();
    // Numbers rise, and begin anew at the end.
    if (newest > own) {
        add_range(out, own + 1, newest - 1, spare);
    } else {
        add_range(out, own + 1, usual_largest, spare);
        add_range(out, 1, newest > 0 ? newest - 1 : own - 1, spare);
    }
    const bool others = out.empty() && spare == 0 && some_child_runs();
    if (others) { add_range(out, 1, usual_largest, spare); }
    if (others && out.empty()) { add_range(out, usual_largest + 1, largest_pid, spare); }
    return out;
}

} // namespace holdfast::cli
