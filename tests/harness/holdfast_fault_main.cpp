// holdfast_fault: ./dev fault. Real clients on real engines under injected faults; docs/faults.md.

#include "harness/fault_run.hpp"
#include "support/environment.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using holdfast::test::fault_run_options;

struct command_line {
    std::vector<std::string> engines{};
    fault_run_options run{};
    bool together = false;
};

double number_of(const std::string& name, const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !(value > 0) || value > 1440) {
        throw std::invalid_argument{name + " needs a number above 0, e.g. 0.2, not '" + text + "'"};
    }
    return value;
}

command_line parse(int count, char** words) {
    command_line out;
    out.run.seed = holdfast::test::seed_of_this_run();
    out.run.report = "fault-report";
    for (int at = 1; at < count; ++at) {
        const std::string word = words[at];
        const auto value = [&]() -> std::string {
            if (at + 1 >= count) { throw std::invalid_argument{word + " needs a value"}; }
            return words[++at];
        };
        if (word == "--minutes") {
            out.run.minutes = number_of(word, value());
        } else if (word == "--seed") {
            out.run.seed = static_cast<unsigned>(std::stoul(value()));
        } else if (word == "--report") {
            out.run.report = value();
        } else if (word == "--together") {
            out.together = true;
        } else if (word == "--engine") {
            out.engines.push_back(value());
        } else if (word == "--mistake") {
            if (value() != "split") { throw std::invalid_argument{"--mistake knows only split"}; }
            out.run.split = true;
        } else {
            throw std::invalid_argument{"unknown option '" + word + "'; see ./dev --help"};
        }
    }
    if (out.engines.empty()) { out.engines = holdfast::test::deployment_names(); }
    return out;
}

/// In a process of its own, which may mount a disk, and whose servers end with it.
::pid_t start_run(fault_run_options options, const std::string& engine) {
    const auto parent = ::getpid();
    std::cout.flush();
    const auto child = ::fork();
    if (child != 0) { return child; }
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) { ::_exit(1); }
    int code = 1;
    try {
        options.engine = engine;
        code = holdfast::test::fault_run{options}.run() ? 0 : 1;
    } catch (const std::exception& problem) {
        std::cout << engine << ": FAILED, seed " << options.seed << ": " << problem.what()
                  << std::endl;
    }
    std::cout.flush();
    ::_exit(code);
}

bool succeeds(::pid_t child) {
    int status = 0;
    return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

void join_reports(const command_line& given) {
    std::ofstream out{given.run.report / "report.md"};
    out << "# Fault report\n\n";
    for (const auto& engine : given.engines) {
        std::ifstream part{given.run.report / (engine + ".md")};
        if (part) {
            out << part.rdbuf();
        } else {
            out << "## " << engine << "\n\nFAILED: the run ended without a report.\n\n";
        }
    }
}

} // namespace

int main(int count, char** words) {
    try {
        const auto given = parse(count, words);
        std::filesystem::create_directories(given.run.report);
        for (const auto& engine : given.engines) {
            std::filesystem::remove(given.run.report / (engine + ".md"));
        }
        std::cout << "seed " << given.run.seed << std::endl;
        bool clean = true;
        std::vector<::pid_t> running;
        for (const auto& engine : given.engines) {
            running.push_back(start_run(given.run, engine));
            if (!given.together) {
                clean = succeeds(running.back()) && clean;
                running.pop_back();
            }
        }
        for (const auto child : running) { clean = succeeds(child) && clean; }
        join_reports(given);
        std::cout << "report: " << (given.run.report / "report.md").string() << std::endl;
        return clean ? 0 : 1;
    } catch (const std::exception& problem) {
        std::cerr << "fault: " << problem.what() << '\n';
        return 2;
    }
}
