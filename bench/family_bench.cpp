// ./dev bench family [--json FILE]: what the other primitives cost beside a mutex, uncontended.

#include "measure.hpp"
#include "redis/server.hpp"
#include "scratch.hpp"

#include <holdfast/holdfast.hpp>

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace {

using namespace holdfast;
using namespace holdfast::bench;

constexpr double bar = 1.3; // times the mutex
constexpr int rounds = 21;

/// Acquires and releases each primitive of one client in turns.
std::vector<figure> measure(const std::string& engine, const std::string& url, int cycles) {
    client fleet{url};
    mutex single{fleet, "single"};
    shared_mutex shared{fleet, "shared"};
    counting_semaphore permits{fleet, "permits", 10};
    const std::vector<std::string> names{"first", "second", "third"};
    const auto times = interleave(
        {
            {"mutex", cycles, [&] { const auto held = single.acquire(); }},
            {"shared_mutex, writer", cycles, [&] { const auto held = shared.acquire(); }},
            {"shared_mutex, reader", cycles, [&] { const auto held = shared.acquire_shared(); }},
            {"semaphore", cycles, [&] { const auto held = permits.acquire(); }},
            {"3 names", cycles, [&] { const auto held = acquire_all(fleet, names); }},
        },
        rounds);
    const auto row = [&](const char* name, const spread& value) {
        return figure{engine + ": " + name, value, "mutex", times[0], bar};
    };
    return {row("shared_mutex, writer", times[1]), row("shared_mutex, reader", times[2]),
            row("counting_semaphore", times[3]), row("acquire_all of 3 names", times[4])};
}

int run(const std::string& json) {
    const scratch folder;
    const redis::server server;
    std::vector<figure> rows;
    for (const auto& [engine, url, cycles] :
         {std::tuple{"memory", std::string{"memory:"}, 5'000},
          std::tuple{"embedded", "embedded:" + folder.path() + "/locks.db", 1'000},
          std::tuple{"redis", server.url(), 2'000}}) {
        const auto figures = measure(engine, url, cycles);
        rows.insert(rows.end(), figures.begin(), figures.end());
    }
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
        std::fprintf(stderr, "bench family: %s\n", error.what());
        return 2;
    }
}
