// A rate limit over all processes: a partner allows four calls per second. A permit that is given
// back within the second stays taken until the second is over: min_hold keeps it.

#include <holdfast/holdfast.hpp>

#include <atomic>
#include <chrono>
#include <iostream>
#include <latch>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {

constexpr unsigned calls_per_window = 4;
constexpr auto window = 1s;

// [doc: rate limit]
/// For work that can wait: first come, first served.
void call_partner(holdfast::counting_semaphore& calls) {
    const auto permit = calls.acquire();
    // ... the call. A slow one keeps its permit: never more than four are in flight.
}

/// For requests that cannot wait: false means "429 Too Many Requests".
bool try_call_partner(holdfast::counting_semaphore& calls) {
    const auto permit = calls.try_acquire();
    return permit.has_value();
}

holdfast::counting_semaphore partner_calls(const holdfast::client& fleet) {
    return {fleet, "partner-calls", calls_per_window, {.lease = 10s, .min_hold = window}};
}
// [end]

template <class Work>
std::chrono::duration<double> run_in_workers(const char* url, Work work) {
    const auto start = std::chrono::steady_clock::now();
    std::latch ready{4};
    std::vector<std::jthread> workers;
    workers.reserve(4);
    for (int i = 0; i < 4; ++i) {
        workers.emplace_back([&] { // each could be a process of its own
            holdfast::client fleet{url};
            auto calls = partner_calls(fleet);
            ready.arrive_and_wait();
            for (int n = 0; n < 3; ++n) { work(calls); }
        });
    }
    workers.clear(); // joins
    return std::chrono::steady_clock::now() - start;
}

} // namespace

int main(int argc, char** argv) {
    const char* const url = argc > 1 ? argv[1] : "embedded:";

    // Twelve calls in windows of four: the last four begin two windows after the first four.
    const auto took = run_in_workers(url, call_partner);
    std::cout << "12 calls took two windows: " << (took > 1.98 * window ? "yes" : "NO") << '\n';

    std::this_thread::sleep_for(window + 100ms); // all permits are back
    std::atomic<int> accepted{0};
    const auto burst = run_in_workers(url, [&](auto& calls) {
        if (try_call_partner(calls)) { ++accepted; }
    });
    const bool within_rate = accepted >= 4 && accepted <= 4 * (1 + burst / window);
    std::cout << "accepted of a burst of 12: " << accepted
              << (within_rate ? ", within the rate" : ", NOT WITHIN THE RATE") << '\n';
}
