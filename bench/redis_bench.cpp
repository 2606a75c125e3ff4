// ./dev bench redis [--quick] [--only REGEX] [--json FILE] [--plots FOLDER]: the cost of locks on
// Redis, compared with hiredis alone.

#include "redis/figures.hpp"
#include "redis/hiredis_connection.hpp"
#include "redis/plots.hpp"

#include <cstdio>
#include <exception>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <thread>

namespace {

using namespace holdfast::bench::redis;

struct bench_options {
    bool quick = false;
    std::string only{};
    std::string json{};
    std::string plots{};
};

bench_options parse_options(int argc, char** argv) {
    bench_options out;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        const auto value = [&]() -> std::string {
            if (++i >= argc) { throw std::invalid_argument{std::string{word} + " wants a value"}; }
            return argv[i];
        };
        if (word == "--quick") {
            out.quick = true;
        } else if (word == "--only") {
            out.only = value();
        } else if (word == "--json") {
            out.json = value();
        } else if (word == "--plots") {
            out.plots = value();
        } else {
            throw std::invalid_argument{
                "no option '" + std::string{word} +
                "'; there are --quick, --only REGEX, --json FILE, --plots FOLDER"};
        }
    }
    return out;
}

/// A thousand clients need a connection and two more descriptors each, and the server's sockets.
void allow_many_descriptors() {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// The rest of the line after `key`; empty if the text has no such key.
std::string value_of(std::string_view key, std::string_view text) {
    const auto found = text.find(key);
    if (found == std::string_view::npos) { return {}; }
    text.remove_prefix(found + key.size());
    return std::string{text.substr(0, text.find_first_of("\r\n"))};
}

std::string machine(const server& server) {
    std::ostringstream cpus;
    cpus << std::ifstream{"/proc/cpuinfo"}.rdbuf();
    utsname kernel{};
    ::uname(&kernel);
    std::string load;
    std::getline(std::ifstream{"/proc/loadavg"}, load);
    const auto info = hiredis_connection{server.port()}.ask({"INFO", "server"});
    return std::to_string(std::thread::hardware_concurrency()) + " x " +
           value_of("model name\t: ", cpus.str()) + ", Linux " + &kernel.release[0] +
           ", compiler " + __VERSION__ + ", server " +
           value_of("redis_version:", {info->str, info->len}) + ", load average before " +
           load.substr(0, load.find(' '));
}

int run(const bench_options& options) {
    allow_many_descriptors();
    const server server;
    const auto machine_text = machine(server);
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
        return run(parse_options(argc, argv));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench redis: %s\n", error.what());
        return 2;
    }
}
