// ./dev bench redis [--quick] [--only REGEX] [--json FILE] [--plots FOLDER]: the cost of locks on
// Redis, compared with hiredis alone.

#include "redis/bench_options.hpp"
#include "redis/figures.hpp"
#include "redis/hiredis_connection.hpp"
#include "redis/machine.hpp"
#include "redis/plots.hpp"

#include <cstdio>
#include <exception>
#include <regex>
#include <stdexcept>
#include <string>
#include <sys/resource.h>

namespace {

using namespace holdfast::bench::redis;

/// A thousand clients need a connection and two more descriptors each, and the server's sockets.
void allow_many_descriptors() {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

int run(const bench_options& options) {
    allow_many_descriptors();
    const server server;
    const auto machine_text = describe_machine(server);
    std::printf("%s\n", machine_text.c_str());
    const bench_setup setup{server, options.quick};
    const std::regex only{options.only};
    std::vector<result> rows;
    for (const auto& measurement : all_figures()) {
        if (!std::regex_search(measurement.name, only)) { continue; }
        std::fprintf(stderr, "%s ...\n", measurement.name.c_str());
        hiredis_connection{server.port()}.ask({"FLUSHALL"}); // a figure may leave locks behind
        for (auto& row : measurement.measure(setup)) { rows.push_back(std::move(row)); }
    }
    if (rows.empty()) { throw std::invalid_argument{"--only selects nothing: " + options.only}; }
    const bool met = print(rows);
    if (!options.json.empty()) { write_json(options.json, machine_text, rows); }
    if (!options.plots.empty()) { write_plots(options.plots, rows); }
    return met ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    try {
        return run(parse_options(argc, argv, {.plots = true}));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench redis: %s\n", error.what());
        return 2;
    }
}
