// Many runs of the simulation: ./dev sim.

#include "sim/sim_runner.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using namespace holdfast::sim;

constexpr std::string_view usage = R"(Runs the simulation of CONTRIBUTING.md with many seeds.

  --seeds N       how many (10000), from --first N (1) on
  --seed N        this one only
  --events N      of each run with faults (1000)
  --deployment quorum    one server, or a quorum
  --deployment grace     one server that may lose data, with max_lease
  --deployment failover  a master with replicas, with max_lease and replicas
                  unset: half of the seeds run the first, a quarter each of the others
  --nodes N       of a quorum, 1: one server, unset: 1, 3, 3, 5 in turn; or master and replicas
  --mistake NAME  with a planted mistake, which must be found; `list` names them
  --jobs N        processes (one per core)
  --trace         with --seed: what happens, even if nothing is wrong
  --whole         do not shrink a failing run
)";

struct arguments {
    std::uint64_t first = 1;
    std::uint64_t seeds = 10'000;
    unsigned events = 1000;
    std::optional<deployment> where{};
    unsigned nodes = 0;
    mistake planted = mistake::none;
    unsigned jobs = std::max(std::thread::hardware_concurrency(), 1U);
    bool trace = false;
    bool whole = false;
};

/// What the runs of one process came to.
struct summary {
    std::uint64_t runs = 0;
    std::uint64_t events = 0;
    std::uint64_t leases = 0;
    std::uint64_t losses = 0;
    bool failed = false;
};

std::uint64_t number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || stop != text.data() + text.size()) {
        throw std::invalid_argument{"not a number: " + std::string{text}};
    }
    return value;
}

mistake mistake_of(std::string_view name) {
    if (const auto found = mistake_named(name)) { return *found; }
    std::string names;
    for (const auto& entry : all_mistakes) { names += ' ' + std::string{entry.name}; }
    throw std::invalid_argument{"the mistakes are:" + names};
}

deployment deployment_of(std::string_view name) {
    if (name == "quorum") { return deployment::quorum; }
    if (name == "grace") { return deployment::grace; }
    if (name == "failover") { return deployment::failover; }
    throw std::invalid_argument{"the deployments are: quorum grace failover"};
}

sim_setup setup_of(const arguments& arguments, std::uint64_t seed) {
    sim_setup out;
    out.seed = seed;
    out.deployment = arguments.where.value_or(deployment_for(seed, arguments.planted));
    out.nodes = arguments.nodes;
    if (out.nodes == 0 && out.deployment == deployment::quorum) { out.nodes = nodes_for(seed); }
    out.events = arguments.events;
    out.planted = arguments.planted;
    return out;
}

arguments parse(std::span<char*> words) {
    arguments out;
    for (std::size_t at = 1; at < words.size(); ++at) {
        const std::string_view name = words[at];
        if (name == "--trace" || name == "--whole") {
            (name == "--trace" ? out.trace : out.whole) = true;
            continue;
        }
        if (++at >= words.size()) { throw std::invalid_argument{std::string{usage}}; }
        const std::string_view value = words[at];
        if (name == "--seeds") {
            out.seeds = number(value);
        } else if (name == "--first") {
            out.first = number(value);
        } else if (name == "--seed") {
            out.first = number(value);
            out.seeds = 1;
        } else if (name == "--events") {
            out.events = static_cast<unsigned>(number(value));
        } else if (name == "--nodes") {
            out.nodes = static_cast<unsigned>(number(value));
        } else if (name == "--deployment") {
            out.where = deployment_of(value);
        } else if (name == "--jobs") {
            out.jobs = static_cast<unsigned>(number(value));
        } else if (name == "--mistake") {
            out.planted = mistake_of(value);
        } else {
            throw std::invalid_argument{std::string{usage}};
        }
    }
    return out;
}

void report(sim_runner& runner, const scenario& failing, const sim_result& result, bool whole) {
    std::cout << "seed " << failing.seed << ", " << failing.nodes << " nodes, event "
              << result.events << ": " << result.violation << "\n\n"
              << runner.explain(whole ? failing : runner.shrink(failing)) << std::flush;
}

/// Every `jobs`-th seed from `first + job` on, up to the first failure.
summary run_job(const arguments& arguments, unsigned job) {
    sim_runner runner{arguments.planted};
    summary out;
    for (auto offset = std::uint64_t{job}; offset < arguments.seeds; offset += arguments.jobs) {
        const auto seed = arguments.first + offset;
        const auto scenario = make_scenario(setup_of(arguments, seed));
        const auto result = runner.run(scenario);
        ++out.runs;
        out.events += result.events;
        out.leases += result.leases;
        out.losses += result.losses;
        out.failed = !result.violation.empty();
        if (out.failed) { report(runner, scenario, result, arguments.whole); }
        if (out.failed) { return out; }
        if (arguments.trace) { std::cout << runner.explain(scenario) << std::flush; }
    }
    return out;
}

/// In a process of its own; its summary comes through a pipe.
int start_job(const arguments& arguments, unsigned job) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) { throw std::runtime_error{"pipe"}; }
    const auto child = ::fork();
    if (child < 0) { throw std::runtime_error{"fork"}; }
    if (child == 0) {
        try {
            const auto done = run_job(arguments, job);
            const auto written = ::write(ends[1], &done, sizeof done);
            ::_exit(written == sizeof done ? 0 : 1);
        } catch (const std::exception& failure) {
            std::cerr << failure.what() << std::endl;
            ::_exit(2);
        }
    }
    ::close(ends[1]);
    return ends[0];
}

int run_all(const arguments& arguments) {
    const auto began = std::chrono::steady_clock::now();
    std::vector<int> pipes;
    for (unsigned job = 0; job < arguments.jobs; ++job) {
        pipes.push_back(start_job(arguments, job));
    }
    summary all;
    bool died = false;
    for (const int pipe : pipes) {
        summary part;
        if (::read(pipe, &part, sizeof part) != sizeof part) {
            std::cout << "a process has died\n";
            died = true;
        }
        ::close(pipe);
        all.runs += part.runs;
        all.events += part.events;
        all.leases += part.leases;
        all.losses += part.losses;
        all.failed = all.failed || part.failed;
    }
    while (::wait(nullptr) > 0) {}
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    std::cout << all.runs << " runs, " << all.events << " events, " << all.leases << " leases, "
              << all.losses << " lost, in " << took.count() << " s\n";
    if (died) { return 2; }
    if (arguments.planted == mistake::none) { return all.failed ? 1 : 0; }
    std::cout << name_of(arguments.planted) << (all.failed ? " was found\n" : " was NOT found\n");
    return all.failed ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    try {
        return run_all(parse({argv, static_cast<std::size_t>(argc)}));
    } catch (const std::exception& failure) {
        std::cerr << failure.what() << '\n';
        return 2;
    }
}
