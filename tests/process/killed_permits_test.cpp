// P1, P7: processes that are killed while they hold permits give them back, and never more than
// there are. By hand with more of them: HOLDFAST_PERMIT_CLIENTS=200 HOLDFAST_PERMIT_LIMIT=10.

#include "process/process_fixture.hpp"
#include "support/environment.hpp"

#include <iostream>
#include <random>
#include <thread>

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class killed_permit_holders : public processes {
protected:
    const unsigned limit =
        static_cast<unsigned>(number_from_environment("HOLDFAST_PERMIT_LIMIT", 5));
    const unsigned long clients = number_from_environment("HOLDFAST_PERMIT_CLIENTS", 6);

    [[nodiscard]] std::unique_ptr<taker_process> start_holder() {
        const auto* const lease = arena_.frees_dead_at_once() ? "30000" : "300";
        return arena_.start({"--rounds", "0", "--quiet", "1", "--mode", "permits", "--permits", "2",
                             "--limit", std::to_string(limit), "--hold", "2000", "--lease", lease});
    }
};

TEST_P(killed_permit_holders, p7_give_all_permits_back_and_never_exceed_the_limit) {
    const auto seed = seed_of_this_run();
    std::cout << "HOLDFAST_TEST_SEED=" << seed << std::endl;
    std::minstd_rand random{seed};
    std::vector<std::unique_ptr<taker_process>> all;
    for (unsigned long i = 0; i < clients; ++i) { all.push_back(start_holder()); }
    int holders = 0;
    const int kills = by_run_length(30, 200);
    for (int i = 0; i < kills; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds{random() % 40});
        auto& victim = all.at(random() % all.size());
        ASSERT_FALSE(victim->ended()) << "a process ended by itself: " << victim->wait_for_end();
        if (i % 2 == 0 && eventually([&] { return arena_.is_holding(*victim); }, 500ms)) {
            ++holders;
        }
        victim->kill();
        victim = start_holder();
    }
    for (auto& each : all) { each->kill(); }
    std::cout << holders << " of " << kills << " were killed about when they held\n";
    EXPECT_GT(holders, kills / 10);
    const counting_semaphore permits{arena_.own_client(), arena::name, limit};
    EXPECT_TRUE(eventually([&] { return permits.available() == limit; }));
    counting_semaphore again{arena_.own_client(), arena::name, limit};
    EXPECT_TRUE(again.try_acquire_for(limit, long_wait)) << "all at once";
    EXPECT_EQ(arena_.waiters_left(), 0U) << "P8";
    EXPECT_EQ(arena_.history_violations(), "");
    EXPECT_EQ(arena_.store_damage(), "");
}

HOLDFAST_ON_SHARED_ENGINES(killed_permit_holders);

} // namespace
} // namespace holdfast::test
