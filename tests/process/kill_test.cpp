// P7, P8: processes that are killed at any moment, holding, waiting or in the middle of a
// transaction, leave nothing broken and nobody stuck.

#include "process/process_fixture.hpp"
#include "support/environment.hpp"

#include <algorithm>
#include <iostream>
#include <map>
#include <random>

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

/// What the processes that were killed had recorded last.
std::map<std::string_view, int> last_words(const std::vector<history::event>& events) {
    std::map<int, std::string_view> last;
    std::map<std::string_view, int> out;
    for (const auto& one : events) {
        if (const auto* death = std::get_if<history::killed>(&one.type)) {
            ++out[last[death->victim]];
            last.erase(death->victim);
        } else {
            std::visit([&](const auto& what) { last[one.pid] = what.word; }, one.type);
        }
    }
    return out;
}

class killing : public processes {
protected:
    static constexpr int contenders = 5;
    static constexpr int loners = 3;

    void start_all() {
        std::cout << "HOLDFAST_TEST_SEED=" << seed_ << std::endl;
        for (int i = 0; i < contenders + loners; ++i) { all_.push_back(start_number(i)); }
    }

    /// The first few fight for one lock; the others have one each and are mostly in transactions.
    std::unique_ptr<taker_process> start_number(int i) {
        std::vector<std::string> flags{"--rounds", "0", "--quiet", "1", "--lease", lease_};
        if (i < contenders) {
            flags.insert(flags.end(), {"--hold", i % 2 == 0 ? hold_ : "0", "--pause", "1000"});
        } else {
            flags.insert(flags.end(),
                         {"--name", "own-" + std::to_string(i), "--counter", "", "--pause", "500"});
        }
        return at_.start(flags);
    }

    int pick(int below) { return std::uniform_int_distribution<int>{0, below - 1}(random_); }
    void wait_up_to(milliseconds most) {
        std::this_thread::sleep_for(std::chrono::microseconds{
            pick(static_cast<int>(std::chrono::microseconds{most}.count()))});
    }
    void probe() { slowest_ = std::max(slowest_, at_.time_to_get()); }

    /// Ends all and looks whether the lock can be had and nothing is broken.
    void end_all(milliseconds bound) {
        for (auto& one : all_) { one->kill(); }
        probe();
        RecordProperty("slowest_probe_ms", std::to_string(slowest_.count()));
        std::cout << "the slowest probe took " << slowest_.count() << " ms" << std::endl;
        EXPECT_LT(slowest_, bound);
        EXPECT_EQ(at_.waiting_in_the_end(), 0U) << "P8";
        EXPECT_EQ(at_.wrong_with_store(), "");
    }

    std::string lease_ = "30000";
    std::string hold_ = "2000";
    milliseconds slowest_{0};
    const unsigned seed_ = seed_of_this_run();
    std::minstd_rand random_{seed_};
    std::vector<std::unique_ptr<taker_process>> all_;
};

TEST_P(killing, p7_of_many_processes_at_random_moments_leaves_nobody_stuck_and_the_file_intact) {
    const int kills = by_run_length(100, 500);
    if (!at_.frees_dead_at_once()) { lease_ = "200"; }
    start_all();
    for (int i = 1; i <= kills; ++i) {
        wait_up_to(60ms);
        auto which = pick(contenders + loners);
        for (int each = 0; i % 20 == 10 && each < contenders; ++each) { // few hold
            if (at_.holds(*all_.at(static_cast<std::size_t>(each)))) { which = each; }
        }
        auto& victim = all_.at(static_cast<std::size_t>(which));
        ASSERT_FALSE(victim->ended()) << "one ended by itself: " << victim->wait_for_end();
        victim->kill();
        if (i % 20 == 0) { probe(); }
        victim = start_number(which);
    }
    end_all(scaled(5s));
    EXPECT_EQ(at_.wrong_with_history({.counter = true}), "");

    auto killed_after = last_words(at_.history_so_far());
    for (const auto& [word, times] : killed_after) { std::cout << word << " " << times << '\n'; }
    EXPECT_GT(killed_after["requested"], kills / 50)
        << "asking, waiting, or granted and not yet told";
    EXPECT_GT(killed_after["granted"] + killed_after["wrote"], kills / 50) << "holding";
    EXPECT_GT(killed_after["released"], kills / 50) << "releasing, or just about to ask again";
}

// Wherever it is stopped, also inside a transaction, where it stops all others too.
TEST_P(killing, p2_stops_at_random_moments_make_no_two_valid_and_let_no_stale_write_through) {
    lease_ = "200";
    hold_ = "20000";
    start_all();
    for (int i = 1; i <= by_run_length(20, 60); ++i) {
        wait_up_to(40ms);
        auto* victim = all_.at(static_cast<std::size_t>(pick(contenders))).get();
        for (const auto& one : all_) {
            if (i % 2 == 0 && at_.holds(*one)) { victim = one.get(); }
        }
        ASSERT_FALSE(victim->ended()) << "one ended by itself: " << victim->wait_for_end();
        victim->stop();
        wait_up_to(i % 2 == 0 ? 700ms : 100ms);
        victim->go_on();
        if (i % 10 == 0) { probe(); }
    }
    end_all(scaled(5s));
    EXPECT_EQ(at_.wrong_with_history(), "");

    const auto events = at_.history_so_far();
    const auto late = std::ranges::count_if(events, [](const history::event& one) {
        const auto* write = std::get_if<history::wrote>(&one.type);
        return std::holds_alternative<history::lost>(one.type) ||
               (write != nullptr && !write->accepted);
    });
    std::cout << late << " losses told and writes refused\n";
    EXPECT_GT(late, 0);
}

HOLDFAST_ON_SHARED_ENGINES(killing);

} // namespace
} // namespace holdfast::test
