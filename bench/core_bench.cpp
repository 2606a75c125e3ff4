// ./dev bench core [--json FILE]: the cost of a lock on the engines without a server.

#include "hand_off.hpp"
#include "measure.hpp"
#include "scratch.hpp"
#include "update_floor.hpp"

#include <holdfast/holdfast.hpp>

#include <cstdio>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>

namespace {

using namespace holdfast;
using namespace holdfast::bench;

constexpr double embedded_bar = 2.5;   // times two one-row updates
constexpr double memory_bar = 5;       // microseconds
constexpr double metrics_bar = 1.03;   // times the same without counting
constexpr double hand_off_bar = 1'000; // microseconds

/// A cycle on a file writes two pages or a few more. Every 4,000 pages there is a checkpoint, which
/// waits for the disk. So each round of each contender has about two.
constexpr int cycles_on_file = 4'000;

int run(const std::string& json) {
    const scratch folder;
    update_floor usual_pages{folder.path() + "/usual.db", 4096};
    update_floor small_pages{folder.path() + "/small.db", 1024}; // as in the engine
    // One file per contender: a checkpoint must only write its own pages.
    client for_leases{"embedded:" + folder.path() + "/leases.db"};
    client for_locks{"embedded:" + folder.path() + "/locks.db"};
    client memory{"memory:"};
    client uncounted{"memory:", {.metrics = false}};
    mutex leased{for_leases, "stock:1001"};
    mutex locked{for_locks, "stock:1001"};
    mutex in_memory{memory, "stock:1001"};
    mutex not_counted{uncounted, "stock:1002"};

    // First, because it forks: there must be no threads yet.
    const auto pipe = pipe_hand_off(300);
    const auto hand_over = hand_off("embedded:" + folder.path() + "/hand-off.db", 300);

    const auto times = interleave(
        {
            {"usual pages", cycles_on_file,
             [&] {
                 usual_pages.transaction();
                 usual_pages.transaction();
             }},
            {"small pages", cycles_on_file,
             [&] {
                 small_pages.transaction();
                 small_pages.transaction();
             }},
            {"embedded", cycles_on_file, [&] { const auto held = leased.acquire(); }},
            {"embedded scoped_lock", cycles_on_file, [&] { const std::scoped_lock held{locked}; }},
            {"memory", 20'000, [&] { const auto held = in_memory.acquire(); }},
            {"memory without metrics", 20'000, [&] { const auto held = not_counted.acquire(); }},
            {"memory scoped_lock", 20'000, [&] { const std::scoped_lock held{in_memory}; }},
        },
        21);

    const std::vector<figure> rows{
        {"embedded: acquire + release", times[2], "2 one-row updates, 4 KiB pages", times[0],
         embedded_bar},
        {"embedded: acquire + release", times[2], "2 one-row updates, 1 KiB pages", times[1],
         embedded_bar},
        {"embedded: scoped_lock", times[3], "2 one-row updates, 1 KiB pages", times[1],
         embedded_bar},
        {"memory: acquire + release", times[4], "", {}, memory_bar},
        {"memory: acquire + release", times[4], "the same without metrics", times[5], metrics_bar},
        {"memory: scoped_lock", times[6], "", {}, memory_bar},
        {"embedded: hand-off between processes", hand_over, "", {}, hand_off_bar},
        {"  the same beside a byte in a pipe", hand_over, "1 byte through a pipe", pipe, 0},
    };
    const bool met = report(rows);
    if (!json.empty()) { write_json(json, rows); }
    return met ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    std::string json;
    for (int i = 1; i < argc; ++i) {
        if (std::string_view{argv[i]} == "--json" && i + 1 < argc) { json = argv[++i]; }
    }
    try {
        return run(json);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench core: %s\n", error.what());
        return 2;
    }
}
