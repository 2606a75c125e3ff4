// A lock_taker is killed or stopped in every state, and the next one proceeds within the time that
// P7 and P8 promise: at once if the engine knows the dead, else when the lease, or the short time
// of a hand-off, is over.

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

/// What is done to it.
enum class fate_of_taker { killed, stopped };

struct blow {
    engine_under_test engine;
    fate_of_taker how;
};

std::vector<blow> blows() {
    std::vector<blow> out;
    for (const auto& engine : shared_engines()) {
        out.push_back({engine, fate_of_taker::killed});
        out.push_back({engine, fate_of_taker::stopped});
    }
    return out;
}

class every_state : public testing::TestWithParam<blow> {
protected:
    [[nodiscard]] static bool stopping() { return GetParam().how == fate_of_taker::stopped; }

    void strike(taker_process& process) {
        if (stopping()) {
            at_.stop(process);
        } else {
            process.kill();
        }
    }

    /// When a holder is gone.
    [[nodiscard]] milliseconds after_holder() const {
        const bool known_dead = !stopping() && at_.frees_dead_at_once();
        return known_dead ? at_once : short_lease + at_once;
    }
    /// When a waiter is gone: nobody waits for it, or at most for a hand-off to it.
    [[nodiscard]] milliseconds after_waiter() const {
        const bool known_dead = !stopping() && at_.frees_dead_at_once();
        return known_dead ? at_once : hand_off + at_once;
    }

    void expect_free_within(milliseconds bound, const char* state) {
        const auto took = at_.time_to_get();
        std::cout << state << (stopping() ? " stopped: " : " killed: ") << took.count() << " ms\n";
        EXPECT_LT(took, bound) << state;
    }

    /// Whoever was stopped goes on, comes to an end and has done nothing wrong.
    void expect_good_end(taker_process& process) {
        if (stopping()) {
            process.go_on();
            process.tell("release");
            EXPECT_EQ(process.wait_for_end(), 0);
        }
        EXPECT_EQ(at_.waiting_in_the_end(), 0U) << "P8";
        EXPECT_EQ(at_.wrong_with_history(), "");
        EXPECT_EQ(at_.wrong_with_store(), "");
    }

    arena at_{GetParam().engine};
    const std::vector<std::string> usual_{"--lease", std::to_string(short_lease.count()), "--hold",
                                          "told"};
    /// A hand-off to it lasts its full time, which is still much less than the lease.
    const std::vector<std::string> long_lease_{"--lease", "30000", "--hold", "told"};
};

TEST_P(every_state, p7_asking) {
    for (int i = 0; i < 5; ++i) {
        const auto one = at_.start(usual_);
        ASSERT_TRUE(one->hear("asking"));
        strike(*one);
        expect_free_within(after_holder(), "asking");
        expect_good_end(*one);
    }
}

TEST_P(every_state, p8_waiting) {
    auto mine = at_.try_for(long_wait);
    ASSERT_TRUE(mine);
    const auto one = at_.start(long_lease_);
    ASSERT_TRUE(eventually([&] { return at_.waits(*one); }));
    strike(*one);
    const auto next = at_.start({"--hold", "told"});
    ASSERT_TRUE(eventually([&] { return at_.waits(*next); }));
    mine->release();
    const stopwatch watch;
    ASSERT_TRUE(next->hear("holding"));
    EXPECT_LT(watch.elapsed(), after_waiter());
    next->tell("release");
    ASSERT_EQ(next->wait_for_end(), 0);
    expect_good_end(*one);
}

TEST_P(every_state, p8_granted_but_not_yet_told) {
    auto mine = at_.try_for(long_wait);
    ASSERT_TRUE(mine);
    const auto one = at_.start(long_lease_);
    ASSERT_TRUE(eventually([&] { return at_.waits(*one); }));
    at_.stop(*one); // it cannot hear of the hand-off
    mine->release();
    if (!stopping()) { one->kill(); }
    expect_free_within(after_waiter(), "granted but not told");
    expect_good_end(*one);
}

TEST_P(every_state, p7_holding) {
    const auto one = at_.start(usual_);
    ASSERT_TRUE(one->hear("holding"));
    strike(*one);
    expect_free_within(after_holder(), "holding");
    expect_good_end(*one);
}

TEST_P(every_state, p7_renewing) {
    for (int i = 0; i < by_run_length(2, 5); ++i) {
        const auto one = at_.start(usual_);
        ASSERT_TRUE(one->hear("renewed"));
        ASSERT_TRUE(one->hear("renewed"));
        // The next one is due a third of the lease later: strike around then.
        const stopwatch watch;
        const auto moment = short_lease / 3 + milliseconds{by_run_length(i - 1, i - 3)};
        ASSERT_TRUE(eventually([&] { return watch.elapsed() >= moment; }));
        strike(*one);
        expect_free_within(after_holder(), "renewing");
        expect_good_end(*one);
    }
}

TEST_P(every_state, p7_releasing) {
    for (int i = 0; i < by_run_length(2, 5); ++i) {
        const auto one = at_.start(usual_);
        ASSERT_TRUE(one->hear("holding"));
        one->tell("release");
        ASSERT_TRUE(one->hear("releasing"));
        strike(*one);
        expect_free_within(after_holder(), "releasing");
        expect_good_end(*one);
    }
}

INSTANTIATE_TEST_SUITE_P(on, every_state, testing::ValuesIn(blows()), [](const auto& one) {
    return one.param.engine.name +
           (one.param.how == fate_of_taker::killed ? "_killed" : "_stopped");
});

} // namespace
} // namespace holdfast::test
