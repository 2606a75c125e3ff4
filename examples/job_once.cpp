// A job that every machine starts at the same time and that must run once. The second machine finds
// the lock taken, also if the first has finished already: min_hold keeps it.

#include <holdfast/holdfast.hpp>

#include <chrono>
#include <iostream>
#include <thread>

using namespace std::chrono_literals;

namespace {

/// As cron would start it on each machine.
void nightly_report(holdfast::client& fleet, const char* machine) {
    holdfast::mutex job{fleet, "nightly-report"};
    // [doc: min_hold]
    auto lease = job.try_acquire({.min_hold = 1s, .note = machine}); // in production: 10min
    if (!lease) {
        std::cout << machine << ": another has run it, nothing to do\n";
        return;
    }
    std::cout << machine << ": runs the report\n";
    // [end]
} // releases after some microseconds; the engine keeps the lock until min_hold has passed

} // namespace

int main(int argc, char** argv) {
    holdfast::client fleet{argc > 1 ? argv[1] : "embedded:"};

    nightly_report(fleet, "machine 1");
    nightly_report(fleet, "machine 2"); // its clock is a moment behind

    if (const auto lock = holdfast::admin{fleet}.inspect("nightly-report")) {
        std::cout << "resting: " << (lock->holders.at(0).resting ? "yes" : "no") << '\n';
    }

    std::this_thread::sleep_for(1100ms); // the next night
    nightly_report(fleet, "machine 2");
}
