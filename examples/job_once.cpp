// A job that every machine starts at the same time and that must run once. The other machines find
// the lock taken, also if the first has finished already: min_hold keeps it.

#include <holdfast/holdfast.hpp>

#include <chrono>
#include <iostream>
#include <latch>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {

/// Where the job writes. It refuses a machine that was paused and overtaken by another.
class archive {
public:
    void add_report(std::uint64_t token) {
        const std::lock_guard lock{mutex_};
        guard_.check(token); // throws stale_token
        ++reports_;
    }
    int reports() const { return reports_; }

private:
    std::mutex mutex_;
    holdfast::fence guard_;
    int reports_ = 0;
};

// [doc: job once]
/// As cron starts it on each machine. Returns whether the job has run here.
bool nightly_report(holdfast::client& fleet, archive& archive, const std::string& machine) {
    holdfast::mutex job{fleet, "nightly-report"};
    const auto lease = job.try_acquire({.min_hold = 2s, .note = machine}); // in production: 10min
    if (!lease) { return false; } // another machine runs it, or has run it
    archive.add_report(lease->token());
    return true;
} // releases after some microseconds; the engine keeps the lock until min_hold has passed
// [end]

} // namespace

int main(int argc, char** argv) {
    const char* const url = argc > 1 ? argv[1] : "embedded:";
    archive archive;
    std::latch midnight{3};
    std::vector<std::jthread> machines;
    machines.reserve(3);
    for (int i = 1; i <= 3; ++i) {
        machines.emplace_back([&, i] { // each is a machine of its own
            holdfast::client fleet{url};
            midnight.arrive_and_wait();
            nightly_report(fleet, archive, "machine " + std::to_string(i));
        });
    }
    machines.clear(); // joins
    std::cout << "reports of three machines: " << archive.reports() << '\n';

    holdfast::client fleet{url}; // a machine whose clock is a moment behind
    const bool ran_again = nightly_report(fleet, archive, "machine 4");
    std::cout << "a late machine: " << (ran_again ? "runs it AGAIN" : "nothing to do") << '\n';
    const auto lock = holdfast::admin{fleet}.inspect("nightly-report");
    const bool rests = lock && lock->holders.at(0).resting;
    std::cout << "the lock rests: " << (rests ? "yes" : "NO") << '\n';

    std::this_thread::sleep_for(2100ms); // the next night
    const bool ran = nightly_report(fleet, archive, "machine 4");
    std::cout << "the next night: " << (ran ? "runs it" : "NOTHING") << '\n';
}
