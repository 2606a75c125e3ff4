// ./dev bench sentinel [--quick] [--only REGEX] [--json FILE]: how long a failover interrupts
// locks, beside a bare hiredis loop that asks the sentinels, in the same failovers.

#include "redis/bench_options.hpp"
#include "redis/machine.hpp"
#include "redis/results.hpp"
#include "support/sentinel_group.hpp"

#include <holdfast/holdfast.hpp>

#include <hiredis/hiredis.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <regex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace holdfast::bench;
using namespace std::chrono_literals;
using holdfast::test::sentinel_group;
using clock_type = std::chrono::steady_clock;

/// The longest time between two successes.
class gap_meter {
public:
    void on_success() {
        const auto now = clock_type::now();
        longest_ = std::max(longest_, now - last_);
        last_ = now;
    }
    [[nodiscard]] double milliseconds() const {
        return std::chrono::duration<double, std::milli>{longest_}.count();
    }

private:
    clock_type::time_point last_ = clock_type::now();
    clock_type::duration longest_{0};
};

constexpr auto pause_between_cycles = 1ms;

/// Locks and unlocks until it is stopped.
double measure_ours(const std::string& url, const std::atomic<bool>& stop) {
    holdfast::client fleet{url, {.connect_wait = 60s}};
    (void)fleet.ping();
    gap_meter meter;
    for (unsigned number = 0; !stop; ++number) {
        // A name of its own for each: a release that was not replicated must not block the next.
        holdfast::mutex lock{fleet, "ours:" + std::to_string(number)};
        if (const auto lease = lock.try_acquire_for(60s)) { meter.on_success(); }
        std::this_thread::sleep_for(pause_between_cycles);
    }
    return meter.milliseconds();
}

/// What a program does without a library: writes, and after an error asks the sentinels one after
/// the other until a server takes the write.
class bare_loop {
public:
    explicit bare_loop(std::vector<int> sentinel_ports) : sentinels_{std::move(sentinel_ports)} {}

    double measure(const std::atomic<bool>& stop) {
        while (!write()) { find_master(); }
        gap_meter meter;
        while (!stop) {
            if (write()) {
                meter.on_success();
                std::this_thread::sleep_for(pause_between_cycles);
            } else if (!find_master()) {
                std::this_thread::sleep_for(10ms);
            }
        }
        return meter.milliseconds();
    }

private:
    struct close {
        void operator()(::redisContext* context) const noexcept { ::redisFree(context); }
    };
    struct free_reply {
        void operator()(void* reply) const noexcept { ::freeReplyObject(reply); }
    };
    using context = std::unique_ptr<::redisContext, close>;
    using reply = std::unique_ptr<void, free_reply>;

    static context open(int port) {
        context out{::redisConnectWithTimeout("127.0.0.1", port, {0, 500'000})};
        if (!out || out->err != 0) { return nullptr; }
        ::redisSetTimeout(out.get(), {0, 500'000});
        return out;
    }
    bool write() {
        if (!master_) { return false; }
        const reply got{::redisCommand(master_.get(), "SET floor 1 PX 30000")};
        if (got && static_cast<const ::redisReply*>(got.get())->type == REDIS_REPLY_STATUS) {
            return true;
        }
        master_.reset();
        return false;
    }
    bool find_master() {
        for (const int port : sentinels_) {
            const auto sentinel = open(port);
            if (!sentinel) { continue; }
            const reply got{
                ::redisCommand(sentinel.get(), "SENTINEL GET-MASTER-ADDR-BY-NAME mymaster")};
            const auto* const named = static_cast<const ::redisReply*>(got.get());
            if (named == nullptr || named->type != REDIS_REPLY_ARRAY) { continue; }
            master_ = open(std::stoi(named->element[1]->str));
            if (master_) { return true; }
        }
        return false;
    }

    std::vector<int> sentinels_;
    context master_;
};

struct gaps {
    std::vector<double> ours;
    std::vector<double> bare;
};

template <class FailOver>
void one_failover(gaps& out, FailOver fail_over) {
    sentinel_group group;
    std::vector<int> ports;
    for (const auto& each : group.sentinels) { ports.push_back(each.port()); }
    std::atomic<bool> stop = false;
    double ours = 0;
    double bare = 0;
    {
        std::jthread ours_thread{[&] { ours = measure_ours(group.url(), stop); }};
        std::jthread bare_thread{[&] { bare = bare_loop{ports}.measure(stop); }};
        std::this_thread::sleep_for(300ms);
        auto& former = group.master();
        fail_over(group);
        const bool moved = group.moves_from(former);
        std::this_thread::sleep_for(3s); // the former master was told as well
        stop = true;
        if (!moved) { throw std::runtime_error{"no failover"}; }
    }
    out.ours.push_back(ours);
    out.bare.push_back(bare);
}

template <class FailOver>
redis::result measure(const std::string& name, double bar, int rounds, FailOver fail_over) {
    gaps out;
    for (int round = 0; round < rounds; ++round) {
        std::fprintf(stderr, "%s, %d of %d ...\n", name.c_str(), round + 1, rounds);
        one_failover(out, fail_over);
    }
    return {.name = name,
            .unit = "ms",
            .ours = out.ours,
            .floor = "hiredis that asks the sentinels",
            .floors = out.bare,
            .bar = bar,
            .at_most = true};
}

int run(const redis::bench_options& options) {
    const auto machine = redis::describe_machine(redis::server{});
    std::printf("%s\n", machine.c_str());
    const int rounds = options.quick ? 3 : 10;
    const std::regex only{options.only};
    std::vector<redis::result> rows;
    const std::string killed = "longest gap, master killed";
    const std::string planned = "longest gap, planned failover";
    if (std::regex_search(killed, only)) {
        rows.push_back(
            measure(killed, 1.2, rounds, [](sentinel_group& group) { group.master().kill(); }));
    }
    if (std::regex_search(planned, only)) {
        // No bar: the loop goes on writing to the former master, which is no service.
        rows.push_back(
            measure(planned, 0, rounds, [](sentinel_group& group) { group.begin_fail_over(); }));
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
        std::fprintf(stderr, "bench sentinel: %s\n", error.what());
        return 2;
    }
}
