// Leader election: three processes campaign, and one of them leads. It is killed, and another leads
// in a higher term. The store refuses what the former leader writes late.

#include <holdfast/holdfast.hpp>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <iostream>
#include <string>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

using namespace std::chrono_literals;

namespace {

// [doc: leader]
/// What each process of the fleet runs.
void campaign_and_lead(const char* url) {
    holdfast::client fleet{url};
    holdfast::election scheduler{fleet, "scheduler", {.lease = 1s}};
    for (;;) {
        const auto term = scheduler.campaign(std::to_string(::getpid())); // waits for its turn
        while (term.valid()) {
            std::this_thread::sleep_for(10ms); // works, and sends term.term() with each write
        }
    } // another may lead soon: campaigns again
}

/// Waits for a leader in a higher term than `term`, which the engine reports by push.
holdfast::leader_state next_leader(holdfast::election& scheduler, std::uint64_t term) {
    holdfast::leader_state found;
    std::stop_source done;
    scheduler.observe(done.get_token(), [&](const holdfast::leader_state& leader) {
        if (leader.term <= term || leader.value.empty()) { return; }
        found = leader;
        done.request_stop();
    });
    return found;
}
// [end]

::pid_t start_candidate(const char* url) {
    const ::pid_t pid = ::fork(); // no client exists yet: it would be inert in the child
    if (pid < 0) { throw std::system_error{errno, std::generic_category()}; }
    if (pid == 0) { campaign_and_lead(url); }
    return pid;
}

} // namespace

int main(int argc, char** argv) {
    const char* const url = argc > 1 ? argv[1] : "embedded:";
    std::array<::pid_t, 3> candidates{};
    for (auto& candidate : candidates) { candidate = start_candidate(url); }

    holdfast::client fleet{url};
    holdfast::election scheduler{fleet, "scheduler", {.lease = 1s}};
    const auto first = next_leader(scheduler, 0);
    ::kill(std::stoi(first.value), SIGKILL);
    const auto second = next_leader(scheduler, first.term);
    std::cout << "another leads: " << (second.value != first.value ? "yes" : "NO") << '\n';

    holdfast::fence store; // of what the leaders write
    store.check(second.term);
    std::error_code refused;
    store.check(first.term, refused);
    std::cout << "late write of the first leader: " << (refused ? "refused" : "ACCEPTED") << '\n';
    for (const auto candidate : candidates) {
        ::kill(candidate, SIGKILL);
        ::waitpid(candidate, nullptr, 0);
    }
}
