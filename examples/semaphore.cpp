// At most three encoders at a time, over all processes: a semaphore whose permits come back if
// their holder dies.

#include <holdfast/holdfast.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {

std::atomic<int> at_work{0};
std::atomic<int> most_at_work{0};

void encode(int permits) {
    const int now = at_work += permits;
    for (int seen = most_at_work; seen < now && !most_at_work.compare_exchange_weak(seen, now);) {}
    std::this_thread::sleep_for(50ms);
    at_work -= permits;
}

} // namespace

int main(int argc, char** argv) {
    const char* const url = argc > 1 ? argv[1] : "embedded:";
    std::vector<std::jthread> workers;
    workers.reserve(8);
    for (int i = 0; i < 8; ++i) {
        workers.emplace_back([url, i] { // each could be a process of its own
            // [doc: semaphore]
            holdfast::client fleet{url};
            holdfast::counting_semaphore slots{fleet, "encoder", 3};
            const unsigned permits = i == 0 ? 2 : 1; // two at once: both or neither
            const auto slot = slots.acquire(permits);
            encode(static_cast<int>(permits));
            // [end]
        });
    }
    workers.clear(); // joins

    std::cout << "at most 3 at once: " << (most_at_work <= 3 ? "yes" : "NO") << '\n';

    holdfast::client fleet{url};
    holdfast::counting_semaphore slots{fleet, "encoder", 3};
    const auto all = slots.acquire(3);
    std::cout << "a fourth without waiting: " << (slots.try_acquire() ? "granted" : "no") << '\n';
}
