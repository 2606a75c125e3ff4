// ./dev bench quorum [--quick] [--only REGEX] [--json FILE]: the cost of locks on a quorum of five
// Redis servers, compared with hiredis alone.

#include "quorum/figures.hpp"
#include "redis/bench_options.hpp"
#include "redis/machine.hpp"

#include <cstdio>
#include <exception>
#include <regex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace holdfast::bench;

int run(const redis::bench_options& options) {
    const auto machine = redis::describe_machine(redis::server{});
    std::printf("%s\n", machine.c_str());
    const quorum::bench_setup setup{options.quick};
    const std::regex only{options.only};
    std::vector<redis::result> rows;
    for (const auto& measurement : quorum::all_figures()) {
        if (!std::regex_search(measurement.name, only)) { continue; }
        std::fprintf(stderr, "%s ...\n", measurement.name.c_str());
        for (auto& row : measurement.measure(setup)) { rows.push_back(std::move(row)); }
    }
    if (rows.empty()) { throw std::invalid_argument{"--only selects nothing: " + options.only}; }
    const bool met = redis::print(rows);
    if (!options.json.empty()) { redis::write_json(options.json, machine, rows); }
    return met ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    try {
        return run(redis::parse_options(argc, argv, {}));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench quorum: %s\n", error.what());
        return 2;
    }
}
