// P7, P8: processes that are killed while they hold, wait or are in a transaction leave an intact
// store, and no other process blocked.

#include "process/process_fixture.hpp"
#include "support/environment.hpp"

#include <algorithm>
#include <iostream>
#include <map>
#include <random>

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

/// How often each event was the last one of a killed process.
std::map<std::string_view, int> last_events(const std::vector<history::event>& events) {
    std::map<int, std::string_view> last;
    std::map<std::string_view, int> out;
    for (const auto& event : events) {
        if (const auto* death = std::get_if<history::killed>(&event.type)) {
            ++out[last[death->victim]];
            last.erase(death->victim);
        } else {
            std::visit([&](const auto& details) { last[event.pid] = details.word; }, event.type);
        }
    }
    return out;
}

class killed_takers : public processes {
protected:
    static constexpr int contenders = 5;
    static constexpr int loners = 3;

    void start_all() {
        std::cout << "HOLDFAST_TEST_SEED=" << seed_ << std::endl;
        for (int i = 0; i < contenders + loners; ++i) { all_.push_back(start_taker(i)); }
    }

    /// The contenders share one lock; the loners have one each and are mostly in transactions.
    std::unique_ptr<taker_process> start_taker(int i) {
        std::vector<std::string> flags{"--rounds", "0", "--quiet", "1", "--lease", lease_};
        if (i < contenders) {
            flags.insert(flags.end(), {"--hold", i % 2 == 0 ? hold_ : "0", "--pause", "1000"});
        } else {
            flags.insert(flags.end(),
                         {"--name", "own-" + std::to_string(i), "--counter", "", "--pause", "500"});
        }
        return arena_.start(flags);
    }

    int random_below(int below) {
        return std::uniform_int_distribution<int>{0, below - 1}(random_);
    }
    void wait_up_to(milliseconds max) {
        std::this_thread::sleep_for(std::chrono::microseconds{
            random_below(static_cast<int>(std::chrono::microseconds{max}.count()))});
    }
    [[nodiscard]] bool find_holder(int& which) {
        for (int each = 0; each < contenders; ++each) {
            if (!arena_.is_holding(*all_.at(static_cast<std::size_t>(each)))) { continue; }
            which = each;
            return true;
        }
        return false;
    }
    /// Losses that were noticed, and writes that were refused.
    [[nodiscard]] long late_events() const {
        const auto events = arena_.history_so_far();
        return std::ranges::count_if(events, [](const history::event& event) {
            const auto* write = std::get_if<history::wrote>(&event.type);
            return std::holds_alternative<history::lost>(event.type) ||
                   (write != nullptr && !write->accepted);
        });
    }
    void probe() { slowest_ = std::max(slowest_, arena_.time_to_acquire()); }

    /// Kills all, then checks that the lock can be acquired and the store is intact.
    void kill_all(milliseconds bound) {
        for (auto& taker : all_) { taker->kill(); }
        probe();
        RecordProperty("slowest_probe_ms", std::to_string(slowest_.count()));
        std::cout << "the slowest probe took " << slowest_.count() << " ms" << std::endl;
        EXPECT_LT(slowest_, bound);
        EXPECT_EQ(arena_.waiters_left(), 0U) << "P8";
        EXPECT_EQ(arena_.store_damage(), "");
    }

    std::string lease_ = "30000";
    std::string hold_ = "2000";
    milliseconds slowest_{0};
    const unsigned seed_ = seed_of_this_run();
    std::minstd_rand random_{seed_};
    std::vector<std::unique_ptr<taker_process>> all_;
};

TEST_P(killed_takers, p7_at_random_moments_leave_the_lock_available_and_the_store_intact) {
    const int kills = by_run_length(100, 500);
    if (!arena_.frees_dead_at_once()) { lease_ = "200"; }
    start_all();
    for (int i = 1; i <= kills; ++i) {
        wait_up_to(60ms);
        auto which = random_below(contenders + loners);
        // Few hold at a time, and none for a lease after one of them was killed.
        if (i % 10 == 5) {
            (void)eventually([&] { return find_holder(which); }, 1s);
        }
        auto& victim = all_.at(static_cast<std::size_t>(which));
        ASSERT_FALSE(victim->ended()) << "a process ended by itself: " << victim->wait_for_end();
        victim->kill();
        if (i % 20 == 0) { probe(); }
        victim = start_taker(which);
    }
    kill_all(scaled(5s));
    EXPECT_EQ(arena_.history_violations({.counter = true}), "");

    auto killed_after = last_events(arena_.history_so_far());
    for (const auto& [word, times] : killed_after) { std::cout << word << " " << times << '\n'; }
    EXPECT_GT(killed_after["requested"], kills / 50)
        << "requesting, waiting, or granted with the notice unread";
    EXPECT_GE(killed_after["granted"] + killed_after["wrote"], kills / 100) << "holding";
    EXPECT_GT(killed_after["released"], kills / 50) << "releasing, or about to request again";
}

// Also inside a transaction, where a stopped process blocks all others.
TEST_P(killed_takers, p2_stopped_at_random_moments_never_hold_together_nor_write_late) {
    lease_ = "200";
    hold_ = "20000";
    start_all();
    const int stops = by_run_length(20, 60);
    // Goes on until a process was stopped while it held: others let it hold only now and then.
    for (int i = 1; i <= stops || (late_events() == 0 && i <= 5 * stops); ++i) {
        wait_up_to(40ms);
        auto* victim = all_.at(static_cast<std::size_t>(random_below(contenders))).get();
        for (const auto& taker : all_) {
            if (i % 2 == 0 && arena_.is_holding(*taker)) { victim = taker.get(); }
        }
        ASSERT_FALSE(victim->ended()) << "a process ended by itself: " << victim->wait_for_end();
        victim->stop();
        wait_up_to(i % 2 == 0 ? 700ms : 100ms);
        victim->resume();
        if (i % 10 == 0) { probe(); }
    }
    kill_all(scaled(5s));
    EXPECT_EQ(arena_.history_violations(), "");

    const auto late = late_events();
    std::cout << late << " losses and refused writes\n";
    EXPECT_GT(late, 0);
}

HOLDFAST_ON_SHARED_ENGINES(killed_takers);

} // namespace
} // namespace holdfast::test
