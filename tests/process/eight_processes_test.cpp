// P1: exclusion between processes, checked at the data that the lock guards.

#include "process/process_fixture.hpp"
#include "support/environment.hpp"

namespace holdfast::test {
namespace {

class eight_processes : public processes {
protected:
    void run_all(const std::vector<std::string>& flags) {
        std::vector<std::unique_ptr<taker_process>> all;
        for (int i = 0; i < 8; ++i) { all.push_back(arena_.start(flags)); }
        for (const auto& taker : all) { EXPECT_EQ(taker->wait_for_end(20 * long_wait), 0); }
    }
};

TEST_P(eight_processes, p1_increment_a_counter_without_lost_updates) {
    const int rounds = by_run_length(250, 1000);
    run_all({"--rounds", std::to_string(rounds), "--quiet", "1"});
    EXPECT_EQ(arena_.counter().value(), 8 * rounds);
    EXPECT_EQ(arena_.history_violations({.counter = true}), "");
    EXPECT_EQ(arena_.store_damage(), "");
}

TEST_P(eight_processes, p1_never_hold_more_permits_than_the_limit) {
    run_all({"--rounds", "60", "--quiet", "1", "--mode", "permits", "--permits", "2", "--limit",
             "5", "--hold", "1000"});
    EXPECT_EQ(arena_.history_violations(), "");
}

TEST_P(eight_processes, p1_read_together_and_write_alone) {
    std::vector<std::unique_ptr<taker_process>> all;
    for (int i = 0; i < 8; ++i) {
        all.push_back(arena_.start({"--rounds", "60", "--quiet", "1", "--hold", "1000", "--mode",
                                    i % 3 == 0 ? "writer" : "shared"}));
    }
    for (const auto& taker : all) { EXPECT_EQ(taker->wait_for_end(20 * long_wait), 0); }
    EXPECT_EQ(arena_.history_violations(), "");
}

HOLDFAST_ON_SHARED_ENGINES(eight_processes);

} // namespace
} // namespace holdfast::test
