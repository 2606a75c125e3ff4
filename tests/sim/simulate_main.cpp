// ./dev sim: many runs of the simulation.

#include "sim/world/sim_world.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

using namespace holdfast::sim;

int main(int argc, char** argv) {
    sim_setup setup;
    std::uint64_t first = 1, count = 100;
    bool trace = false;
    for (int at = 1; at + 1 < argc; at += 2) {
        const std::string name = argv[at];
        const auto value = std::strtoull(argv[at + 1], nullptr, 10);
        if (name == "--seed") { first = value; count = 1; }
        if (name == "--first") { first = value; }
        if (name == "--seeds") { count = value; }
        if (name == "--events") { setup.events = static_cast<unsigned>(value); }
        if (name == "--trace") { trace = value != 0; }
        if (name == "--mistake") { setup.planted = mistake_named(argv[at + 1]).value(); }
    }
    lua_vm vm;
    script_library scripts{vm, [&](std::string_view text) { return plant(setup.planted, text); }};
    std::uint64_t events = 0, leases = 0, losses = 0, failures = 0;
    const auto begin = std::chrono::steady_clock::now();
    for (auto seed = first; seed < first + count; ++seed) {
        setup.seed = seed;
        const auto scenario = make_scenario(setup);
        timeline timeline;
        if (trace) { timeline.switch_on(); }
        sim_world world{scenario, scripts, timeline};
        const auto result = world.run();
        events += result.events;
        leases += result.leases;
        losses += result.losses;
        if (trace) {
            std::printf("%s\n", describe(scenario).c_str());
            for (const auto& line : timeline.lines()) { std::printf("%s\n", line.c_str()); }
        }
        if (!result.violation.empty()) {
            ++failures;
            std::printf("seed %llu, event %u, %s: %s\n", static_cast<unsigned long long>(seed),
                        result.events, timeline::stamp(result.at).c_str(),
                        result.violation.c_str());
            if (failures >= 10) { break; }
        }
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::printf("%llu events, %llu leases, %llu losses, %llu failures in %.2f s: %.1f us per event\n",
                static_cast<unsigned long long>(events), static_cast<unsigned long long>(leases), static_cast<unsigned long long>(losses),
                static_cast<unsigned long long>(failures), took.count(), 1e6 * took.count() / static_cast<double>(events));
}
