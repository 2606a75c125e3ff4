// P1: exclusion between processes, as what is locked sees it.

#include "process/process_fixture.hpp"
#include "support/environment.hpp"

namespace holdfast::test {
namespace {

class eight_processes : public processes {
protected:
    void run_all(const std::vector<std::string>& flags) {
        std::vector<std::unique_ptr<taker_process>> all;
        for (int i = 0; i < 8; ++i) { all.push_back(at_.start(flags)); }
        for (const auto& one : all) { EXPECT_EQ(one->wait_for_end(20 * long_wait), 0); }
    }
};

TEST_P(eight_processes, p1_count_around_an_unguarded_counter) {
    const int rounds = by_run_length(250, 1000);
    run_all({"--rounds", std::to_string(rounds), "--quiet", "1"});
    EXPECT_EQ(at_.counter().value(), 8 * rounds);
    EXPECT_EQ(at_.wrong_with_history({.counter = true}), "");
    EXPECT_EQ(at_.wrong_with_store(), "");
}

TEST_P(eight_processes, p1_never_have_more_permits_than_there_are) {
    run_all({"--rounds", "60", "--quiet", "1", "--mode", "permits", "--permits", "2", "--limit",
             "5", "--hold", "1000"});
    EXPECT_EQ(at_.wrong_with_history(), "");
}

TEST_P(eight_processes, p1_read_together_and_write_alone) {
    std::vector<std::unique_ptr<taker_process>> all;
    for (int i = 0; i < 8; ++i) {
        all.push_back(at_.start({"--rounds", "60", "--quiet", "1", "--hold", "1000", "--mode",
                                 i % 3 == 0 ? "writer" : "shared"}));
    }
    for (const auto& one : all) { EXPECT_EQ(one->wait_for_end(20 * long_wait), 0); }
    EXPECT_EQ(at_.wrong_with_history(), "");
}

HOLDFAST_ON_SHARED_ENGINES(eight_processes);

} // namespace
} // namespace holdfast::test
