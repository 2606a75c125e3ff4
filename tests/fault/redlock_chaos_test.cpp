// P1, P2, P3, P7, P8: processes take a lock of a quorum of five servers while processes and servers
// are killed and frozen at random; their history is checked. A server that is killed loses its
// data. It takes some seconds; HOLDFAST_CHAOS_SECONDS=60 makes it a minute, HOLDFAST_TEST_SEED
// repeats its chances.

#include "fault/redlock_fixture.hpp"
#include "history/checker.hpp"
#include "history/parser.hpp"
#include "history/report.hpp"
#include "process/taker_process.hpp"
#include "support/environment.hpp"
#include "support/scratch_folder.hpp"

#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <random>
#include <thread>
#include <variant>

namespace holdfast::test {
namespace {

class redlock_chaos : public redlock_fault {
protected:
    static constexpr int takers = 16;
    static constexpr milliseconds lease = 2s;
    static constexpr milliseconds rejoin = lease + 40ms + 2s; // see node_joiner.hpp

    [[nodiscard]] static milliseconds length() {
        return milliseconds{
            1000 * number_from_environment("HOLDFAST_CHAOS_SECONDS", by_run_length(6UL, 20UL))};
    }
    [[nodiscard]] std::string file(const std::string& name) const {
        return (std::filesystem::path{folder_.path()} / name).string();
    }
    [[nodiscard]] int below(int end) {
        return std::uniform_int_distribution<int>{0, end - 1}(random_);
    }

    void start_taker() {
        all_.push_back(std::make_unique<taker_process>(
            events_, std::vector<std::string>{
                         "--url",     url("?timeout=400&connect_timeout=400&max_lease=2000"),
                         "--label",   "taker-" + std::to_string(++started_),
                         "--history", file("history"),
                         "--store",   file("guarded"),
                         "--counter", file("counter"),
                         "--rounds",  "0",
                         "--quiet",   "1",
                         "--hold",    below(4) == 0 ? "100000" : "5000",
                         "--pause",   "3000",
                         "--lease",   std::to_string(lease.count())}));
    }
    /// A taker ends when there is no quorum for longer than its patience: another takes its place.
    void replace_ended() {
        std::erase_if(all_, [](const auto& each) { return each->ended(); });
        while (all_.size() < takers) { start_taker(); }
    }
    taker_process& some_taker() {
        return *all_.at(static_cast<std::size_t>(below(static_cast<int>(all_.size()))));
    }
    redis_server& some_server() { return servers[static_cast<std::size_t>(below(5))]; }

    void suffer() {
        const stopwatch watch;
        std::array<int, 4> counts{};
        while (watch.elapsed() < length()) {
            replace_ended();
            const auto fault = static_cast<std::size_t>(below(10));
            switch (fault) {
            case 0:
            case 1:
            case 2:
                some_taker().kill();
                ++counts[0];
                break;
            case 3:
            case 4: {
                auto& stopped = some_taker();
                stopped.stop();
                std::this_thread::sleep_for(milliseconds{below(600)});
                stopped.resume();
                ++counts[1];
                break;
            }
            case 5: // its data is gone, so it must not vote for a while
                if (watch.elapsed() > last_death_ + rejoin / 2) {
                    some_server().restart();
                    last_death_ = watch.elapsed();
                    ++counts[2];
                }
                break;
            default: {
                auto& one = some_server();
                auto& two = some_server();
                one.pause();
                if (&one != &two) { two.pause(); }
                std::this_thread::sleep_for(milliseconds{below(400)});
                one.resume();
                if (&one != &two) { two.resume(); }
                ++counts[3];
            }
            }
            std::this_thread::sleep_for(milliseconds{below(150)});
        }
        std::cout << "takers killed " << counts[0] << ", stopped " << counts[1]
                  << "; servers restarted empty " << counts[2] << ", frozen " << counts[3]
                  << std::endl;
    }
    /// The findings of the checker.
    [[nodiscard]] std::string wrong() {
        const history::check_options options{.loss_notice = 20ms + scaled(500ms),
                                             .loss_notice_after_stop = 100ms + scaled(500ms),
                                             .starvation_bound = 10 * long_wait,
                                             .counter = true};
        const auto all = history::parse_file(file("history"));
        if (!all.errors.empty()) { return "the history cannot be read"; }
        holds_ = std::ranges::count_if(all.events, [](const history::event& each) {
            return std::holds_alternative<history::granted>(each.type);
        });
        std::cout << holds_ << " holds by " << started_ << " processes" << std::endl;
        const auto found = history::check(all.events, options);
        return found.empty() ? std::string{} : history::describe(all.events, found);
    }
    /// Keys on the servers other than those that docs/redis.md names, one per line.
    [[nodiscard]] std::string undocumented_keys() {
        std::string out;
        for (auto& server : servers) {
            const auto keys = server.command({"KEYS", "*"});
            for (const auto& key : keys.items()) {
                const auto name = key.string();
                if (name != "hf:node" && name != "hf:mark" && !name.starts_with("hf:{stock}")) {
                    out += name + '\n';
                }
            }
        }
        return out;
    }

    std::ptrdiff_t holds_ = 0;
    std::vector<std::unique_ptr<taker_process>> all_;

private:
    const unsigned seed_ = seed_of_this_run();
    std::minstd_rand random_{seed_};
    const scratch_folder folder_;
    history::recorder events_{file("history"), "test"};
    int started_ = 0;
    milliseconds last_death_{-10'000};
};

TEST_F(redlock_chaos, of_processes_and_servers_breaks_no_promise) {
    std::this_thread::sleep_for(rejoin); // the servers have just started
    suffer();
    std::this_thread::sleep_for(1s);
    for (auto& each : all_) { each->kill(); }
    EXPECT_EQ(wrong(), "");
    EXPECT_GT(holds_, by_run_length(20, 100));
    EXPECT_EQ(undocumented_keys(), "");
    // P7: after the last lease the lock is free, by a client that had nothing to do with it.
    client fleet{url("?max_lease=2000"), {.connect_wait = 2 * rejoin}};
    mutex stock{fleet, "stock", {.lease = lease}};
    EXPECT_TRUE(stock.try_lock_for(2 * rejoin));
}

} // namespace
} // namespace holdfast::test
