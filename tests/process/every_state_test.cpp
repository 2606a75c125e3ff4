// A lock_taker is killed or stopped in every state. The next one acquires the lock within the time
// that P7 and P8 promise: at once if the engine notices deaths, otherwise when the lease, or the
// provisional grant of a hand-off, expires.

#include "process/process_fixture.hpp"
#include "support/environment.hpp"

#include <functional>
#include <iostream>

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr milliseconds short_lease = scaled(600ms);
constexpr milliseconds hand_off = 2000ms;
/// A lost wake-up costs a second; the rest is for a busy machine.
constexpr milliseconds at_once = scaled(1500ms);

enum class interruption_kind { killed, stopped };

struct interruption_case {
    engine_under_test engine;
    interruption_kind kind;
};

std::vector<interruption_case> interruption_cases() {
    std::vector<interruption_case> out;
    for (const auto& engine : shared_engines()) {
        out.push_back({engine, interruption_kind::killed});
        out.push_back({engine, interruption_kind::stopped});
    }
    return out;
}

class every_state : public testing::TestWithParam<interruption_case> {
protected:
    [[nodiscard]] static bool stopping() { return GetParam().kind == interruption_kind::stopped; }

    void interrupt(taker_process& process) {
        if (stopping()) {
            arena_.stop(process);
        } else {
            process.kill();
        }
    }

    /// The bound after a holder was interrupted.
    [[nodiscard]] milliseconds after_holder() const {
        const bool known_dead = !stopping() && arena_.frees_dead_at_once();
        return known_dead ? at_once : short_lease + at_once;
    }
    /// The bound after a waiter was interrupted: at most a hand-off to it must expire.
    [[nodiscard]] milliseconds after_waiter() const {
        const bool known_dead = !stopping() && arena_.frees_dead_at_once();
        return known_dead ? at_once : hand_off + at_once;
    }

    void expect_free_within(milliseconds bound, const char* state) {
        const auto took = arena_.time_to_acquire();
        std::cout << state << (stopping() ? " stopped: " : " killed: ") << took.count() << " ms\n";
        EXPECT_LT(took, bound) << state;
    }

    /// A stopped process is resumed and ends; the history has no violation.
    void expect_clean_end(taker_process& process) {
        if (stopping()) {
            process.resume();
            process.send_line("release");
            EXPECT_EQ(process.wait_for_end(), 0);
        }
        EXPECT_EQ(arena_.waiters_left(), 0U) << "P8";
        EXPECT_EQ(arena_.history_violations(), "");
        EXPECT_EQ(arena_.store_damage(), "");
    }

    arena arena_{GetParam().engine};
    const std::vector<std::string> usual_{"--lease", std::to_string(short_lease.count()), "--hold",
                                          "until_released"};
    /// A hand-off to it lasts its full time, which is still much less than the lease.
    const std::vector<std::string> long_lease_{"--lease", "30000", "--hold", "until_released"};
};

TEST_P(every_state, p7_asking) {
    for (int i = 0; i < 5; ++i) {
        const auto taker = arena_.start(usual_);
        ASSERT_TRUE(taker->wait_for_line("asking"));
        interrupt(*taker);
        expect_free_within(after_holder(), "asking");
        expect_clean_end(*taker);
    }
}

TEST_P(every_state, p8_waiting) {
    auto held = arena_.try_for(long_wait);
    ASSERT_TRUE(held);
    const auto taker = arena_.start(long_lease_);
    ASSERT_TRUE(eventually([&] { return arena_.is_waiting(*taker); }));
    interrupt(*taker);
    const auto next = arena_.start({"--hold", "until_released"});
    ASSERT_TRUE(eventually([&] { return arena_.is_waiting(*next); }));
    held->release();
    const stopwatch watch;
    ASSERT_TRUE(next->wait_for_line("holding"));
    EXPECT_LT(watch.elapsed(), after_waiter());
    next->send_line("release");
    ASSERT_EQ(next->wait_for_end(), 0);
    expect_clean_end(*taker);
}

TEST_P(every_state, p8_granted_before_the_notice_is_read) {
    auto held = arena_.try_for(long_wait);
    ASSERT_TRUE(held);
    const auto taker = arena_.start(long_lease_);
    ASSERT_TRUE(eventually([&] { return arena_.is_waiting(*taker); }));
    arena_.stop(*taker); // it cannot receive the grant
    held->release();
    if (!stopping()) { taker->kill(); }
    expect_free_within(after_waiter(), "granted, notice unread");
    expect_clean_end(*taker);
}

TEST_P(every_state, p7_holding) {
    const auto taker = arena_.start(usual_);
    ASSERT_TRUE(taker->wait_for_line("holding"));
    interrupt(*taker);
    expect_free_within(after_holder(), "holding");
    expect_clean_end(*taker);
}

TEST_P(every_state, p7_renewing) {
    for (int i = 0; i < by_run_length(2, 5); ++i) {
        const auto taker = arena_.start(usual_);
        ASSERT_TRUE(taker->wait_for_line("renewed"));
        ASSERT_TRUE(taker->wait_for_line("renewed"));
        // The next one is due a third of the lease later: interrupt around then.
        const stopwatch watch;
        const auto moment = short_lease / 3 + milliseconds{by_run_length(i - 1, i - 3)};
        ASSERT_TRUE(eventually([&] { return watch.elapsed() >= moment; }));
        interrupt(*taker);
        expect_free_within(after_holder(), "renewing");
        expect_clean_end(*taker);
    }
}

TEST_P(every_state, p7_releasing) {
    for (int i = 0; i < by_run_length(2, 5); ++i) {
        const auto taker = arena_.start(usual_);
        ASSERT_TRUE(taker->wait_for_line("holding"));
        taker->send_line("release");
        ASSERT_TRUE(taker->wait_for_line("releasing"));
        interrupt(*taker);
        expect_free_within(after_holder(), "releasing");
        expect_clean_end(*taker);
    }
}

INSTANTIATE_TEST_SUITE_P(on, every_state, testing::ValuesIn(interruption_cases()),
                         [](const auto& test) {
                             return test.param.engine.name +
                                    (test.param.kind == interruption_kind::killed ? "_killed"
                                                                                  : "_stopped");
                         });

} // namespace
} // namespace holdfast::test
