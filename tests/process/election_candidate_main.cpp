// A candidate of an election: election_candidate URL NAME LEASE_MS FILE. It campaigns again and
// again. While it leads it appends lines "TERM BEFORE AFTER PID" to the file: at an instant from
// BEFORE to AFTER, in ns of the boot clock, its term was valid. A leader ends when its input does.

#include "holdfast/base/clock.hpp"

#include <holdfast/holdfast.hpp>

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <thread>
#include <unistd.h>

namespace {

using namespace std::chrono_literals;

std::int64_t now_ns() { return holdfast::base::boot_clock::now().time_since_epoch().count(); }

bool input_ended() {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    return ::poll(&input, 1, 0) > 0;
}

void lead(const holdfast::leadership& term, int file) {
    while (!input_ended()) {
        const auto before = now_ns();
        if (!term.valid()) { return; }
        const auto after = now_ns();
        const auto line = std::to_string(term.term()) + ' ' + std::to_string(before) + ' ' +
                          std::to_string(after) + ' ' + std::to_string(::getpid()) + '\n';
        if (::write(file, line.data(), line.size()) < 0) { std::_Exit(3); }
        std::this_thread::sleep_for(3ms);
    }
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 5) { return 2; }
    const std::chrono::milliseconds lease{std::atoi(argv[3])};
    const int file = ::open(argv[4], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) { return 3; }
    holdfast::client own{argv[1], {.connect_wait = 60s}};
    holdfast::election office{own, argv[2], {.lease = lease}};
    while (!input_ended()) {
        std::error_code failure;
        const auto term = office.campaign(std::to_string(::getpid()), {}, failure);
        if (term) { lead(term, file); }
    }
}
