#include "redis/placement.hpp"

#include <filesystem>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

namespace holdfast::bench::redis {

namespace {

/// The cpus that this process was allowed to use at its start.
const std::vector<std::size_t>& all_cpus() {
    static const auto found = [] {
        cpu_set_t set;
        CPU_ZERO(&set);
        ::sched_getaffinity(0, sizeof set, &set);
        std::vector<std::size_t> out;
        for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
            if (CPU_ISSET(cpu, &set)) { out.push_back(cpu); }
        }
        return out;
    }();
    return found;
}

void allow(::pid_t process, const std::vector<std::size_t>& cpus) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const auto cpu : cpus) { CPU_SET(cpu, &set); }
    const std::filesystem::path threads = "/proc/" + std::to_string(process) + "/task";
    for (const auto& thread : std::filesystem::directory_iterator{threads}) {
        ::sched_setaffinity(std::stoi(thread.path().filename()), sizeof set, &set);
    }
}

} // namespace

std::string_view text(placement placement) noexcept {
    switch (placement) {
    case placement::pinned: return "pinned";
    case placement::split: return "split";
    case placement::unpinned: return "unpinned";
    }
    return "?";
}

void place(placement placement, ::pid_t server) {
    const auto& cpus = all_cpus();
    switch (placement) {
    case placement::pinned:
        allow(::getpid(), {cpus.back()});
        allow(server, {cpus.back()});
        return;
    case placement::split:
        if (cpus.size() < 2) { throw std::runtime_error{"one cpu only: nothing to split"}; }
        allow(::getpid(), {cpus.front()});
        allow(server, {cpus.back()});
        return;
    case placement::unpinned:
        allow(::getpid(), cpus);
        allow(server, cpus);
        return;
    }
}

} // namespace holdfast::bench::redis
