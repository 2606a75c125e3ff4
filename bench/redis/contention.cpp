// Many waiters for one lock: hand-offs per second, fairness, and the time to drain a queue.

#include "redis/figures.hpp"
#include "redis/hiredis_connection.hpp"
#include "redis/waiters.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <thread>

namespace holdfast::bench::redis {

namespace {

using namespace std::chrono_literals;

struct shares {
    double per_second = 0;
    double most_to_least = 0;
};

/// Opens the gate when all waiters are queued. Returns the time.
std::int64_t open_when_full(gate& before, std::size_t size) {
    constexpr int tries = 3'000;
    for (int i = 0; before.waiting() < size; ++i) {
        if (i == tries) { throw std::runtime_error{"waiters do not queue"}; }
        std::this_thread::sleep_for(10ms);
    }
    const auto start = now_ns();
    before.open();
    return start;
}

shares loop_for(seconds window, std::size_t size, const server& server, const side& side) {
    hiredis_connection{server.port()}.ask({"FLUSHALL"});
    crowd waiters{size, waiter_mode::looping, side.waiters};
    const auto before = side.before();
    waiters.go();
    open_when_full(*before, size);
    std::this_thread::sleep_for(window / 5); // warm-up
    const auto first = waiters.taken();
    const auto start = now_ns();
    std::this_thread::sleep_for(window);
    auto taken = waiters.taken();
    const auto passed = static_cast<double>(now_ns() - start) / 1e9;
    waiters.stop();
    for (std::size_t i = 0; i < taken.size(); ++i) { taken[i] -= first[i]; }
    const auto [least, most] = std::minmax_element(taken.begin(), taken.end());
    const auto total = std::accumulate(taken.begin(), taken.end(), std::uint64_t{0});
    return {static_cast<double>(total) / passed,
            static_cast<double>(*most) / std::max(0.5, static_cast<double>(*least))};
}

double drain_ms(std::size_t size, const server& server, const side& side) {
    hiredis_connection{server.port()}.ask({"FLUSHALL"});
    crowd waiters{size, waiter_mode::once, side.waiters};
    const auto before = side.before();
    waiters.go();
    const auto start = open_when_full(*before, size);
    return static_cast<double>(waiters.all_done() - start) / 1e6;
}

std::string many(std::size_t size) { return std::to_string(size) + " waiters"; }

} // namespace

std::vector<result> looping_waiters(const bench_setup& setup, std::size_t size) {
    constexpr double bar = 0.65;
    constexpr double fair = 1.1;
    place(placement::unpinned, setup.server.pid());
    const auto window = setup.crowd_window(size);
    std::vector<double> our_shares;
    std::vector<double> piped_shares;
    std::vector<double> list_shares;
    const auto round = [&](const side& side, std::vector<double>& figures) {
        const auto result_of_round = loop_for(window, size, setup.server, side);
        figures.push_back(result_of_round.most_to_least);
        return result_of_round.per_second;
    };
    const auto figures = take_turns(
        {
            [&] { return round(list_side(setup.server), list_shares); },
            [&] { return round(our_side(setup.server), our_shares); },
            [&] { return round(our_side(setup.server, releases::pipelined), piped_shares); },
        },
        setup.crowd_rounds(size), warm_up::no);
    const auto count = static_cast<int>(size);
    return {{.name = many(size) + ", looping",
             .unit = "hand-offs/s",
             .ours = figures[1],
             .floor = "(d1) BLPOP, RPUSH",
             .floors = figures[0],
             .bar = bar,
             .crowd = count},
            {.name = many(size) + ", looping, release pipelined",
             .unit = "hand-offs/s",
             .ours = figures[2],
             .floor = "(d1) BLPOP, RPUSH",
             .floors = figures[0]},
            {.name = many(size) + ", most/least",
             .unit = "ratio",
             .ours = our_shares,
             .bar = setup.quick && size > 100 ? 0 : fair, // too few turns each
             .at_most = true},
            {.name = "  the same, release pipelined", .unit = "ratio", .ours = piped_shares},
            {.name = "  the same of (d1)", .unit = "ratio", .ours = list_shares}};
}

std::vector<result> convoy(const bench_setup& setup, std::size_t size) {
    constexpr double bar = 1.5;
    place(placement::unpinned, setup.server.pid());
    const auto figures = take_turns(
        {
            [&] { return drain_ms(size, setup.server, list_side(setup.server)); },
            [&] { return drain_ms(size, setup.server, our_side(setup.server)); },
            [&] {
                return drain_ms(size, setup.server, our_side(setup.server, releases::pipelined));
            },
        },
        setup.crowd_rounds(size), warm_up::no);
    return {{.name = many(size) + ", each once, to drain",
             .unit = "ms",
             .ours = figures[1],
             .floor = "(d2) BLPOP, RPUSH",
             .floors = figures[0],
             .bar = bar,
             .at_most = true},
            {.name = many(size) + ", the same, release pipelined",
             .unit = "ms",
             .ours = figures[2],
             .floor = "(d2) BLPOP, RPUSH",
             .floors = figures[0],
             .at_most = true}};
}

} // namespace holdfast::bench::redis
