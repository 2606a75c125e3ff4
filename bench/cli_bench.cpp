// ./dev bench cli [--json FILE]: the overhead of `holdfast run`, compared with flock(1).

#include "measure.hpp"
#include "scratch.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace holdfast::bench;

/// The bar: three times flock plus 10 ms.
constexpr double times_flock = 3;
constexpr double allowance_us = 10'000;

/// Runs a command; throws if it fails.
void run_command(std::vector<std::string> words) {
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (auto& word : words) { argv.push_back(word.data()); }
    argv.push_back(nullptr);
    pid_t child = 0;
    int status = 0;
    if (::posix_spawnp(&child, argv[0], nullptr, nullptr, argv.data(), environ) != 0) {
        throw std::runtime_error{"cannot start " + words[0]};
    }
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (status != 0) { throw std::runtime_error{words[0] + " failed"}; }
}

int run(const std::string& json) {
    const scratch folder;
    const std::string file = folder.path() + "/lock";
    const std::string url = "embedded:" + folder.path() + "/locks.db";
    const std::string job = "nightly";
    const auto times = interleave(
        {
            {"true", 10, [&] { run_command({"true"}); }},
            {"flock", 10,
             [&] {
                 run_command({"flock", file, "true"});
             }},
            {"holdfast run", 10,
             [&] {
                 run_command({HOLDFAST_CLI, "run", "--url", url, job, "--", "true"});
             }},
            {"holdfast --version", 10,
             [&] {
                 run_command({"sh", "-c", "exec " HOLDFAST_CLI " --version > /dev/null"});
             }},
        },
        21);
    const auto bar = times_flock * times[1].median + allowance_us;
    const std::vector<figure> rows{
        {"true", times[0], "", {}, 0},
        {"flock FILE true", times[1], "true", times[0], 0},
        {"holdfast run NAME -- true", times[2], "", {}, bar},
        {"  the same beside flock", times[2], "flock FILE true", times[1], 0},
        {"holdfast --version", times[3], "", {}, 0},
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
        std::fprintf(stderr, "bench cli: %s\n", error.what());
        return 2;
    }
}
