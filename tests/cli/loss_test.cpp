// The lock is lost while the command runs; processes are killed early; nested runs.

#include "cli/guarded_fixture.hpp"
#include "support/embedded_store.hpp"

#include <holdfast/holdfast.hpp>

#include <csignal>

namespace holdfast::test {

namespace {

using ::testing::HasSubstr;

class lost_lock : public guarded {};

TEST_F(lost_lock, ends_the_command_although_the_engine_hangs) {
    embedded_store store;
    auto job = start({"--url", store.url(), "--lease", "3s", "--grace", "500ms", "x", "--", "bash",
                      "-c", "trap 'echo sigterm' TERM; echo up; while :; do sleep 0.01; done"});
    ASSERT_TRUE(eventually([&] { return job.out() == "up\n"; }));
    ASSERT_TRUE(store.hang());
    const stopwatch watch;
    const auto end = job.wait();
    EXPECT_EQ(end.code, 76);
    EXPECT_EQ(end.out, "up\nsigterm\n") << "SIGTERM first, SIGKILL in the end";
    EXPECT_THAT(end.err, HasSubstr("lost"));
    EXPECT_LT(watch.elapsed(), 3s + scaled(2s)) << "without a wait for the engine";
    EXPECT_EQ(sandbox_.left_over(), "");
}

TEST_F(lost_lock, broken_by_an_operator_ends_the_command_at_once) {
    auto job =
        start_worker(worker_kind::ignores_signals, {"-q", "--lease", "2s", "--grace", "300ms"});
    ASSERT_NE(token_above(0), 0U);
    const client fleet{sandbox_.url()};
    EXPECT_TRUE(admin{fleet}.break_lock("x"));
    EXPECT_EQ(job.wait().code, 76);
    EXPECT_EQ(sandbox_.left_over(), "");
}

TEST_F(lost_lock, broken_by_an_operator_does_not_wait_for_the_next_poll) {
    // With a lease of 30 s the guardian polls it every second.
    const auto end_of_a_job = [&] {
        auto job = hold("x", {"-q"});
        const client fleet{sandbox_.url()};
        const stopwatch watch;
        EXPECT_TRUE(admin{fleet}.break_lock("x"));
        EXPECT_EQ(job.wait().code, 76);
        return watch.elapsed();
    };
    EXPECT_LT(quickest_of(3, end_of_a_job), 500ms);
}

TEST_F(lost_lock, at_the_end_of_the_command_leaves_nothing_behind) {
    // The command exits at about the time that max_hold ends; the order does not matter.
    for (int i = 0; i < 5; ++i) {
        const auto end = run({"-q", "--max-hold", "400ms", "--grace", "20ms", "x", "--", "sleep",
                              "0.3" + std::to_string(i * 2)});
        EXPECT_TRUE(end.code == 0 || end.code == 76) << end.code << end.err;
    }
    EXPECT_EQ(sandbox_.left_over(), "");
}

class killed_early : public cli {};

TEST_F(killed_early, a_front_leaves_nothing_behind) {
    for (int delay = 0; delay < 24; ++delay) {
        auto job = start({"-q", "--lease", "3s", "x", "--", "sleep", "1000"});
        std::this_thread::sleep_for(milliseconds{delay});
        job.signal(SIGKILL);
        EXPECT_EQ(job.wait().code, 137);
    }
    EXPECT_EQ(sandbox_.left_over(), "");
    EXPECT_TRUE(is_free("x")) << "the guardians have released it, or never acquired it";
}

TEST_F(killed_early, a_guardian_leaves_nothing_behind) {
    for (int delay = 0; delay < 12; ++delay) {
        const auto name = "x" + std::to_string(delay);
        auto job = start({"-q", name, "--", "sleep", "1000"});
        const auto guardian = guardian_of(job.pid());
        std::this_thread::sleep_for(milliseconds{delay});
        ::kill(guardian, SIGKILL);
        EXPECT_EQ(job.wait().code, 76);
    }
    EXPECT_EQ(sandbox_.left_over(), "");
}

class nested : public cli {
protected:
    running_command start_both() {
        auto out = start({"-q", "outer", "--", HOLDFAST_CLI, "run", "-q", "inner", "--", "sh", "-c",
                          "echo held; sleep 1000"});
        EXPECT_TRUE(eventually([&] { return out.out() == "held\n"; })) << out.err();
        return out;
    }
};

TEST_F(nested, runs_end_together_by_a_signal) {
    auto both = start_both();
    EXPECT_FALSE(is_free("outer"));
    EXPECT_FALSE(is_free("inner"));
    both.signal(SIGTERM);
    EXPECT_EQ(both.wait().code, 143);
    EXPECT_EQ(sandbox_.left_over(), "");
    EXPECT_TRUE(is_free("outer"));
    EXPECT_TRUE(is_free("inner"));
}

TEST_F(nested, runs_end_together_when_the_outer_one_is_killed) {
    auto both = start_both();
    both.signal(SIGKILL);
    EXPECT_EQ(sandbox_.left_over(), "");
    EXPECT_TRUE(is_free("outer"));
}

TEST_F(nested, locks_are_free_when_the_outer_run_exits) {
    const auto end = shell("$holdfast run a -- $holdfast run b -- $holdfast run c -- echo deep && "
                           "$holdfast run -n a -- $holdfast run -n b -- true");
    EXPECT_EQ(end.code, 0) << end.err;
    EXPECT_EQ(end.out, "deep\n");
}

} // namespace

} // namespace holdfast::test
