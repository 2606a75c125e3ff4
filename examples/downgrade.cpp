// A writer that has changed something reads it back beside the readers, before another writer
// comes: downgrade() turns its hold into a reader's, without a gap.

#include <holdfast/holdfast.hpp>

#include <atomic>
#include <chrono>
#include <iostream>
#include <mutex>
#include <shared_mutex>
#include <thread>

using namespace std::chrono_literals;

namespace {

// [doc: downgrade]
/// Returns whether nobody has changed the price since, while others could already read it.
bool change_and_check(std::atomic<int>& price, holdfast::shared_mutex& lock, int fresh) {
    std::unique_lock writing{lock};
    price = fresh;
    lock.downgrade();
    writing.release(); // else it would unlock() a writer's hold, which there is no more
    const std::shared_lock reading{lock, std::adopt_lock};
    std::this_thread::sleep_for(2ms); // e.g. to write a report
    return price == fresh;
}
// [end]

} // namespace

int main(int argc, char** argv) {
    const char* const url = argc > 1 ? argv[1] : "embedded:";
    std::atomic<int> price{0};
    std::atomic<bool> overwritten{false};
    const auto work = [&](int first) { // could be a process of its own
        holdfast::client fleet{url};
        holdfast::shared_mutex lock{fleet, "price"};
        for (int i = 0; i < 5; ++i) {
            if (!change_and_check(price, lock, first + i)) { overwritten = true; }
        }
    };
    {
        const std::jthread one{work, 100};
        const std::jthread other{work, 200};
    }
    std::cout << "a price was overwritten before it was checked: " << (overwritten ? "YES" : "no")
              << '\n';
}
