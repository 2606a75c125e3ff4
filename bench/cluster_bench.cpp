// ./dev bench cluster [--quick] [--only REGEX] [--json FILE]: a lock on a cluster of three masters
// beside one on a server alone, and the cost of an acknowledged replica beside hiredis.

#include "redis/bench_options.hpp"
#include "redis/floors.hpp"
#include "redis/machine.hpp"
#include "redis/placement.hpp"
#include "redis/results.hpp"
#include "redis/rounds.hpp"
#include "support/cluster_group.hpp"
#include "support/redis_server.hpp"

#include <holdfast/holdfast.hpp>

#include <array>
#include <cstdio>
#include <exception>
#include <functional>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace holdfast::bench;
using holdfast::test::cluster_group;
using holdfast::test::redis_server;

struct bench_setup {
    bool quick = false;

    [[nodiscard]] int rounds() const noexcept { return quick ? 7 : 31; }
    [[nodiscard]] redis::seconds window() const noexcept {
        return redis::seconds{quick ? 0.05 : 0.2};
    }
};

void lock_and_unlock(holdfast::mutex& lock) {
    lock.lock();
    lock.unlock();
}

/// Cycles per second of a lock on a cluster and of one on a server alone, in turns.
std::vector<redis::result> one_thread(const bench_setup& setup, redis::placement placement) {
    cluster_group group{{.replicas = 0, .quick_start = false}};
    const redis_server alone;
    for (const auto& node : group.nodes) { redis::place(placement, node.pid()); }
    redis::place(placement, alone.pid());
    holdfast::client of_cluster{group.url()};
    holdfast::client of_one{alone.url()};
    holdfast::mutex in_cluster{of_cluster, "ours"};
    holdfast::mutex in_one{of_one, "ours"};
    constexpr std::size_t names = 8;
    std::vector<std::unique_ptr<holdfast::mutex>> spread_out;
    spread_out.reserve(names);
    for (std::size_t i = 0; i < names; ++i) {
        spread_out.push_back(
            std::make_unique<holdfast::mutex>(of_cluster, "ours" + std::to_string(i)));
    }
    std::size_t at = 0;
    const auto window = setup.window();
    const auto figures = redis::take_turns(
        {
            [&] { return redis::rate(window, [&] { lock_and_unlock(in_cluster); }); },
            [&] { return redis::rate(window, [&] { lock_and_unlock(in_one); }); },
            [&] {
                return redis::rate(window,
                                   [&] { lock_and_unlock(*spread_out[++at % spread_out.size()]); });
            },
        },
        setup.rounds());
    const auto name = "one thread, cluster, " + std::string{redis::text(placement)};
    const bool decides = placement == redis::placement::pinned;
    return {{.name = name,
             .unit = "cycles/s",
             .ours = figures[0],
             .floor = "redis:, the same client",
             .floors = figures[1],
             .bar = decides ? 0.95 : 0},
            {.name = name + ", 8 names in turn",
             .unit = "cycles/s",
             .ours = figures[2],
             .floor = "redis:, the same client",
             .floors = figures[1]}};
}

/// What a program does without a library: SET NX and WAIT in one flush, then compare-and-delete.
class acknowledged_lock {
public:
    explicit acknowledged_lock(std::uint16_t port)
        : connection_{port},
          sha_{connection_.load("if redis.call('get', KEYS[1]) == ARGV[1] then "
                                "return redis.call('del', KEYS[1]) else return 0 end")} {}

    void cycle() {
        const std::array<std::string_view, 6> set{"SET", "floor", "owner", "NX", "PX", "30000"};
        const std::array<std::string_view, 3> wait{"WAIT", "1", "100"};
        connection_.append(set);
        connection_.append(wait);
        if (connection_.next()->type != REDIS_REPLY_STATUS) {
            throw std::runtime_error{"SET NX found it taken"};
        }
        if (connection_.next()->integer < 1) { throw std::runtime_error{"no replica"}; }
        redis::expect_released(*connection_.ask({"EVALSHA", sha_, "1", "floor", "owner"}));
    }

private:
    redis::hiredis_connection connection_;
    std::string sha_;
};

/// Microseconds of a cycle: the inverse of a rate.
std::vector<double> times_of(std::vector<double> rates) {
    for (auto& each : rates) { each = 1e6 / each; }
    return rates;
}

std::vector<redis::result> one_replica(const bench_setup& setup, redis::placement placement) {
    redis_server master;
    redis_server replica{{.arguments = {"--repl-diskless-sync-delay", "0", "--replicaof",
                                        "127.0.0.1", std::to_string(master.port())}}};
    if (!holdfast::test::eventually([&] {
            return master.command({"WAIT", "1", "100"}).number() == 1;
        })) {
        throw std::runtime_error{"no replica"};
    }
    redis::place(placement, replica.pid());
    redis::place(placement, master.pid());
    holdfast::client fleet{master.url() + "?replicas=1"};
    holdfast::client careless{master.url()};
    holdfast::mutex lock{fleet, "ours"};
    holdfast::mutex without{careless, "careless"};
    acknowledged_lock floor{master.port()};
    const auto window = setup.window();
    const auto figures = redis::take_turns(
        {
            [&] { return redis::rate(window, [&] { lock_and_unlock(lock); }); },
            [&] { return redis::rate(window, [&] { floor.cycle(); }); },
            [&] { return redis::rate(window, [&] { lock_and_unlock(without); }); },
        },
        setup.rounds());
    const auto name = "replicas=1, " + std::string{redis::text(placement)};
    const bool decides = placement == redis::placement::split;
    return {{.name = name,
             .unit = "us",
             .ours = times_of(figures[0]),
             .floor = "hiredis SET NX + WAIT, EVALSHA",
             .floors = times_of(figures[1]),
             .bar = decides ? 1.1 : 0,
             .at_most = true},
            {.name = name + ", cost",
             .unit = "us",
             .ours = times_of(figures[0]),
             .floor = "redis: without replicas",
             .floors = times_of(figures[2])}};
}

struct measurement {
    std::string name;
    std::function<std::vector<redis::result>(const bench_setup&)> measure;
};

std::vector<measurement> all_figures() {
    std::vector<measurement> out;
    for (const auto placement :
         {redis::placement::pinned, redis::placement::split, redis::placement::unpinned}) {
        const std::string place{redis::text(placement)};
        out.push_back({"one thread, cluster, " + place,
                       [=](const bench_setup& setup) { return one_thread(setup, placement); }});
        out.push_back({"replicas=1, " + place,
                       [=](const bench_setup& setup) { return one_replica(setup, placement); }});
    }
    return out;
}

int run(const redis::bench_options& options) {
    const auto machine = redis::describe_machine(redis::server{});
    std::printf("%s\n", machine.c_str());
    const std::regex only{options.only};
    std::vector<redis::result> rows;
    for (const auto& measurement : all_figures()) {
        if (!std::regex_search(measurement.name, only)) { continue; }
        std::fprintf(stderr, "%s ...\n", measurement.name.c_str());
        for (auto& row : measurement.measure({options.quick})) { rows.push_back(std::move(row)); }
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
        std::fprintf(stderr, "bench cluster: %s\n", error.what());
        return 2;
    }
}
