// P1, P2, P3: six processes contend for a lock under random faults; their history is checked.

#include "fault/redis_fixture.hpp"
#include "history/checker.hpp"
#include "history/parser.hpp"
#include "history/recorder.hpp"
#include "history/report.hpp"
#include "process/taker_process.hpp"
#include "support/environment.hpp"
#include "support/scratch_folder.hpp"

#include <functional>
#include <iostream>
#include <random>
#include <set>

namespace holdfast::test {
namespace {

using history::rule;

class redis_chaos : public redis_fault {
protected:
    static constexpr int takers = 6;
    static constexpr milliseconds lease_time = scaled(1000ms);

    void start_all() {
        std::cout << "HOLDFAST_TEST_SEED=" << seed_ << std::endl;
        server.command({"CONFIG", "SET", "busy-reply-threshold", "50"});
        for (int i = 1; i <= takers; ++i) {
            all_.push_back(std::make_unique<taker_process>(
                events_, std::vector<std::string>{
                             "--url",       between.url() + "?timeout=400&connect_timeout=400",
                             "--label",     "taker-" + std::to_string(i),
                             "--history",   file("history"),
                             "--store",     file("guarded"),
                             "--counter",   file("counter"),
                             "--rounds",    "0",
                             "--quiet",     "1",
                             "--hold",      i == 2 ? "2000000" : i % 2 == 0 ? "100000" : "5000",
                             "--pause",     i > 4 ? "0" : "3000",
                             "--pipelined", i > 4 ? "1" : "0",
                             "--lease",     std::to_string(lease_time.count())}));
        }
    }
    void suffer(const std::vector<std::function<void()>>& faults, milliseconds how_long) {
        const stopwatch watch;
        while (watch.elapsed() < how_long) {
            faults.at(static_cast<std::size_t>(below(static_cast<int>(faults.size()))))();
            std::this_thread::sleep_for(milliseconds{below(400)});
            between.heal();
            between.release();
        }
    }
    /// Checks, after a while without faults, that all of them still run; then kills them.
    void end_all() {
        std::this_thread::sleep_for(1s);
        for (auto& each : all_) {
            EXPECT_FALSE(each->ended())
                << each->wait_for_line("failed", 100ms).value_or("it ended in silence");
        }
        for (auto& each : all_) { each->kill(); }
    }
    /// The findings of the checker, without those that these faults may cause.
    [[nodiscard]] std::string wrong(const std::set<rule>& allowed, bool counter) {
        const history::check_options options{.loss_notice = 20ms + scaled(500ms),
                                             .loss_notice_after_stop = 100ms + scaled(500ms),
                                             .starvation_bound = 2 * long_wait,
                                             .counter = counter,
                                             .data_lost = allowed.contains(rule::two_exclusive)};
        const auto all = history::parse_file(file("history"));
        if (!all.errors.empty()) { return "the history cannot be read"; }
        holds_ = std::ranges::count_if(all.events, [](const history::event& each) {
            return std::holds_alternative<history::granted>(each.type);
        });
        std::cout << holds_ << " holds, " << losses() << " of them lost" << std::endl;
        auto found = history::check(all.events, options);
        std::erase_if(found, [&](const auto& each) { return allowed.contains(each.broken_rule); });
        return found.empty() ? std::string{} : history::describe(all.events, found);
    }
    [[nodiscard]] std::ptrdiff_t losses() const {
        const auto all = history::parse_file(file("history")).events;
        return std::ranges::count_if(all, [](const history::event& each) {
            return std::holds_alternative<history::lost>(each.type);
        });
    }
    [[nodiscard]] std::string file(const std::string& name) const {
        return (std::filesystem::path{folder_.path()} / name).string();
    }
    [[nodiscard]] int below(int end) {
        return std::uniform_int_distribution<int>{0, end - 1}(random_);
    }

    /// The faults that lose no data.
    [[nodiscard]] std::vector<std::function<void()>> mishaps() {
        const auto stop = [this](int most) {
            server.pause();
            std::this_thread::sleep_for(milliseconds{below(most)});
            server.resume();
        };
        return {[stop] { stop(300); },
                [stop] { stop(static_cast<int>(2 * lease_time.count())); },
                [this] { drop_connections(server); },
                [this] {
                    server.command({"SCRIPT", "FLUSH"});
                },
                [this] { run_slow_script(below(400)); },
                [this] { between.cut(); },
                [this] { between.half_open(); },
                [this] { between.drop_pushes({.times = 5}); },
                [this] { between.hold_pushes({.times = 3}); },
                [this] { between.trickle(); },
                [this] { between.drop_answers({.with = "stock", .times = 5}); },
                [this] { between.hold_requests({.with = "stock", .times = 3}); },
                [this] { between.delay(milliseconds{below(200)}, milliseconds{below(200)}); },
                [this] { between.mangle(garbage::noise, {.with = "stock", .times = 2}); }};
    }

    std::ptrdiff_t holds_ = 0;

private:
    void run_slow_script(int ms) {
        redis_raw slow{server.port()};
        static_cast<void>(slow.ask(slow_script(milliseconds{ms})));
    }

    const unsigned seed_ = seed_of_this_run();
    std::minstd_rand random_{seed_};
    const scratch_folder folder_;
    history::recorder events_{file("history"), "test"};
    std::vector<std::unique_ptr<taker_process>> all_;
};

TEST_F(redis_chaos, that_loses_no_data_breaks_no_promise) { // P1, P2, P3, P7
    start_all();
    suffer(mishaps(), by_run_length(5s, 20s));
    end_all();
    EXPECT_EQ(wrong({}, true), "");
    EXPECT_GT(holds_, by_run_length(5, 25));
    EXPECT_TRUE(will_wait(0)) << "P8";
}

// Beyond the condition of P1: only tokens protect, and holders notice at the next renewal.
TEST_F(redis_chaos, that_loses_data_keeps_tokens_rising_and_notifies_of_losses) { // P2, P3
    start_all();
    auto faults = mishaps();
    for (int i = 0; i < 3; ++i) {
        faults.emplace_back([this] { server.flush_all(); });
        faults.emplace_back([this] { server.restart(); });
    }
    suffer(faults, by_run_length(4s, 8s));
    ASSERT_TRUE(eventually([&] {
        server.flush_all();
        std::this_thread::sleep_for(100ms);
        return losses() > 0;
    })) << "somebody must have held it when it was gone";
    end_all();
    EXPECT_EQ(wrong({rule::two_exclusive, rule::lost_update}, false), "");
    EXPECT_GT(holds_, by_run_length(5, 15));
}

} // namespace
} // namespace holdfast::test
