// ./dev bench cli [--json FILE] [--cli PATH]: what `holdfast run` adds to a command, compared with
// flock(1), and how long the command takes to start. PATH is another build of it.

#include "measure.hpp"
#include "scratch.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace holdfast::bench;

constexpr double times_flock = 3; // `holdfast run`
constexpr double times_true = 2;  // `holdfast --version`
constexpr double allowance_us = 1'000;

/// Runs a command without its output; throws if it fails.
void run_command(std::vector<std::string> words) {
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (auto& word : words) { argv.push_back(word.data()); }
    argv.push_back(nullptr);
    pid_t child = 0;
    int status = 0;
    posix_spawn_file_actions_t no_output;
    ::posix_spawn_file_actions_init(&no_output);
    ::posix_spawn_file_actions_addopen(&no_output, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    const int failed = ::posix_spawnp(&child, argv[0], &no_output, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&no_output);
    if (failed != 0) { throw std::runtime_error{"cannot start " + words[0]}; }
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (status != 0) { throw std::runtime_error{words[0] + " failed"}; }
}

int run(const std::string& json, const std::string& cli) {
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
                 run_command({cli, "run", "--url", url, job, "--", "true"});
             }},
            {"holdfast --version", 10,
             [&] {
                 run_command({cli, "--version"});
             }},
        },
        21);
    const std::vector<figure> rows{
        {"true", times[0], "", {}, 0},
        {"flock FILE true", times[1], "true", times[0], 0},
        {"holdfast run NAME -- true", times[2], "flock FILE true", times[1], times_flock},
        {"holdfast --version", times[3], "", {}, times_true * times[0].median + allowance_us},
    };
    const bool met = report(rows);
    if (!json.empty()) { write_json(json, rows); }
    return met ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    std::string json;
    std::string cli = HOLDFAST_CLI;
    for (int i = 1; i < argc; ++i) {
        if (std::string_view{argv[i]} == "--json" && i + 1 < argc) { json = argv[++i]; }
        if (std::string_view{argv[i]} == "--cli" && i + 1 < argc) { cli = argv[++i]; }
    }
    try {
        return run(json, cli);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench cli: %s\n", error.what());
        return 2;
    }
}
