// ./dev bench redis [--quick] [--only REGEX] [--json FILE]: what locks cost on Redis, beside what
// they would cost with hiredis alone.

#include "redis/figures.hpp"
#include "redis/wire.hpp"

#include <cstdio>
#include <exception>
#include <fstream>
#include <regex>
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
        } else {
            throw std::invalid_argument{"no option '" + std::string{word} +
                                        "'; there are --quick, --only REGEX, --json FILE"};
        }
    }
    return out;
}

/// A thousand clients of two connections, two more descriptors each, and the server's side of it.
void allow_many_descriptors() {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

std::string machine() {
    utsname kernel{};
    ::uname(&kernel);
    std::string load;
    std::getline(std::ifstream{"/proc/loadavg"}, load);
    return std::to_string(std::thread::hardware_concurrency()) + " cpus, Linux " +
           &kernel.release[0] + ", load at the start " + load.substr(0, load.find(' '));
}

int run(const wishes& wanted) {
    const auto on = machine();
    std::printf("%s\n", on.c_str());
    allow_many_descriptors();
    const server at;
    const stage here{at, wanted.quick};
    const std::regex only{wanted.only};
    std::vector<result> rows;
    for (const auto& one : all_figures()) {
        if (!std::regex_search(one.name, only)) { continue; }
        std::fprintf(stderr, "%s ...\n", one.name.c_str());
        wire{at.port()}.ask({"FLUSHALL"}); // a figure may leave locks behind
        for (auto& row : one.measure(here)) { rows.push_back(std::move(row)); }
    }
    const bool met = print(rows);
    if (!wanted.json.empty()) { write_json(wanted.json, on, rows); }
    return met ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    try {
        return run(read_wishes(argc, argv));
    } catch (const std::exception& what) {
        std::fprintf(stderr, "bench redis: %s\n", what.what());
        return 2;
    }
}
