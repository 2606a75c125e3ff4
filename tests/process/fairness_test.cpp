// P6, P7: readers and writers of one lock are served in turn, and nobody waits much longer than the
// others. With 32 processes for 30 s by hand: HOLDFAST_FAIRNESS_SECONDS=30.

#include "process/process_fixture.hpp"
#include "support/environment.hpp"

#include <algorithm>
#include <iostream>
#include <map>
#include <thread>

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

/// How long each request waited, in order of length.
std::vector<nanoseconds> sorted_waits(const std::vector<history::event>& events) {
    std::map<std::string, history::stamp> requests; // by owner
    std::vector<nanoseconds> waits;
    for (const auto& event : events) {
        if (const auto* const request = std::get_if<history::requested>(&event.type)) {
            requests[request->owner] = event.at;
        } else if (const auto* const grant = std::get_if<history::granted>(&event.type)) {
            const auto found = requests.find(grant->owner);
            if (found != requests.end()) { waits.push_back(event.at - found->second); }
        }
    }
    std::sort(waits.begin(), waits.end());
    return waits;
}

double milliseconds_of(nanoseconds span) { return static_cast<double>(span.count()) / 1e6; }

class readers_and_writers_of_many_processes : public processes {};

TEST_P(readers_and_writers_of_many_processes, p6_all_wait_about_as_long) {
    const auto by_hand = number_from_environment("HOLDFAST_FAIRNESS_SECONDS", 0);
    const auto count = by_hand > 0 ? 32U : 12U;
    std::vector<std::unique_ptr<taker_process>> all;
    for (unsigned i = 0; i < count; ++i) {
        all.push_back(arena_.start({"--rounds", "0", "--quiet", "1", "--hold", "4000", "--mode",
                                    i % 2 == 0 ? "writer" : "shared"}));
    }
    std::this_thread::sleep_for(by_hand > 0 ? std::chrono::seconds{by_hand} : 2s);
    for (const auto& each : all) { EXPECT_FALSE(each->ended()) << "a process ended by itself"; }
    for (const auto& each : all) { each->kill(); }
    const auto waits = sorted_waits(arena_.history_so_far());
    ASSERT_GT(waits.size(), 10 * count);
    const auto median = waits[waits.size() / 2];
    const auto longest = waits.back();
    std::cout << waits.size() << " holds, median wait " << milliseconds_of(median)
              << " ms, longest " << milliseconds_of(longest) << " ms, ratio "
              << milliseconds_of(longest) / milliseconds_of(median) << std::endl;
    // Beside other tests a process may be scheduled late.
    EXPECT_LT(longest, 5 * median + (by_hand > 0 ? 0ms : scaled(1s)));
    EXPECT_EQ(arena_.history_violations(), "");
    EXPECT_EQ(arena_.store_damage(), "");
}

HOLDFAST_ON_SHARED_ENGINES(readers_and_writers_of_many_processes);

} // namespace
} // namespace holdfast::test
