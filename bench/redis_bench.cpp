// ./dev bench redis [--quick] [--only REGEX] [--json FILE] [--plots FOLDER]: what locks cost on
// Redis, beside what they would cost with hiredis alone.

#include "redis/figures.hpp"
#include "redis/plots.hpp"
#include "redis/wire.hpp"

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

struct wishes {
    bool quick = false;
    std::string only{};
    std::string json{};
    std::string plots{};
};

wishes read_wishes(int argc, char** argv) {
    wishes out;
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

/// A thousand clients of one connection, two more descriptors each, and the server's side of it.
void allow_many_descriptors() {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// What stands after `key` in a text of lines; empty: it is not there.
std::string value_of(std::string_view key, std::string_view text) {
    const auto found = text.find(key);
    if (found == std::string_view::npos) { return {}; }
    text.remove_prefix(found + key.size());
    return std::string{text.substr(0, text.find_first_of("\r\n"))};
}

std::string machine(const server& at) {
    std::ostringstream cpus;
    cpus << std::ifstream{"/proc/cpuinfo"}.rdbuf();
    utsname kernel{};
    ::uname(&kernel);
    std::string load;
    std::getline(std::ifstream{"/proc/loadavg"}, load);
    const auto told = wire{at.port()}.ask({"INFO", "server"});
    return std::to_string(std::thread::hardware_concurrency()) + " x " +
           value_of("model name\t: ", cpus.str()) + ", Linux " + &kernel.release[0] +
           ", compiler " + __VERSION__ + ", server " +
           value_of("redis_version:", {told->str, told->len}) + ", load average before " +
           load.substr(0, load.find(' '));
}

int run(const wishes& wanted) {
    allow_many_descriptors();
    const server at;
    const auto on = machine(at);
    std::printf("%s\n", on.c_str());
    const stage here{at, wanted.quick};
    const std::regex only{wanted.only};
    std::vector<result> rows;
    for (const auto& one : all_figures()) {
        if (!std::regex_search(one.name, only)) { continue; }
        std::fprintf(stderr, "%s ...\n", one.name.c_str());
        wire{at.port()}.ask({"FLUSHALL"}); // a figure may leave locks behind
        for (auto& row : one.measure(here)) { rows.push_back(std::move(row)); }
    }
    if (rows.empty()) { throw std::invalid_argument{"--only selects nothing: " + wanted.only}; }
    const bool met = print(rows);
    if (!wanted.json.empty()) { write_json(wanted.json, on, rows); }
    if (!wanted.plots.empty()) { write_plots(wanted.plots, rows); }
    return met ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    try {
        return run(read_wishes(argc, argv));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench redis: %s\n", error.what());
        return 2;
    }
}
