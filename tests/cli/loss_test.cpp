// When the lock is lost under a running command, and other hard moments.

#include "cli/guarded.hpp"
#include "support/embedded_store.hpp"

#include <holdfast/holdfast.hpp>

#include <csignal>

namespace holdfast::test {

namespace {

using ::testing::HasSubstr;

class loss_of_the_lock : public guarded {};

TEST_F(loss_of_the_lock, ends_the_command_although_the_engine_hangs) {
    embedded_store store;
    auto job = start({"--url", store.url(), "--lease", "3s", "--grace", "500ms", "x", "--", "bash",
                      "-c", "trap 'echo told' TERM; echo up; while :; do sleep 0.01; done"});
    ASSERT_TRUE(eventually([&] { return job.out() == "up\n"; }));
    ASSERT_TRUE(store.hang());
    const stopwatch watch;
    const auto end = job.wait();
    EXPECT_EQ(end.code, 76);
    EXPECT_EQ(end.out, "up\ntold\n") << "SIGTERM first, SIGKILL in the end";
    EXPECT_THAT(end.err, HasSubstr("lost"));
    EXPECT_LT(watch.elapsed(), 3s + scaled(2s)) << "and nobody waits for the engine";
    EXPECT_EQ(here.left_over(), "");
}

TEST_F(loss_of_the_lock, by_an_operator_ends_the_command_at_once) {
    auto job = contend(shape::deaf, {"-q", "--lease", "2s", "--grace", "300ms"});
    ASSERT_NE(token_above(0), 0U);
    const client fleet{here.url()};
    EXPECT_TRUE(admin{fleet}.break_lock("x"));
    EXPECT_EQ(job.wait().code, 76);
    EXPECT_EQ(here.left_over(), "");
}

TEST_F(loss_of_the_lock, by_an_operator_does_not_wait_for_the_next_look_at_the_lease) {
    // With a lease of 30 s the guardian looks at it every second.
    const auto end_of_a_job = [&] {
        auto job = hold("x", {"-q"});
        const client fleet{here.url()};
        const stopwatch watch;
        EXPECT_TRUE(admin{fleet}.break_lock("x"));
        EXPECT_EQ(job.wait().code, 76);
        return watch.elapsed();
    };
    EXPECT_LT(quickest_of(3, end_of_a_job), 500ms);
}

TEST_F(loss_of_the_lock, is_no_matter_once_the_command_is_over) {
    // Ends just when the longest hold does; whichever is first, nothing hangs and nothing is left.
    for (int i = 0; i < 5; ++i) {
        const auto end = run({"-q", "--max-hold", "400ms", "--grace", "20ms", "x", "--", "sleep",
                              "0.3" + std::to_string(i * 2)});
        EXPECT_TRUE(end.code == 0 || end.code == 76) << end.code << end.err;
    }
    EXPECT_EQ(here.left_over(), "");
}

class killed_early : public cli {};

TEST_F(killed_early, a_front_leaves_nothing_behind) {
    for (int delay = 0; delay < 24; ++delay) {
        auto job = start({"-q", "--lease", "3s", "x", "--", "sleep", "1000"});
        std::this_thread::sleep_for(milliseconds{delay});
        job.signal(SIGKILL);
        EXPECT_EQ(job.wait().code, 137);
    }
    EXPECT_EQ(here.left_over(), "");
    EXPECT_TRUE(is_free("x")) << "the guardians have released it, or never had it";
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
    EXPECT_EQ(here.left_over(), "");
}

class nested : public cli {
protected:
    running start_both() {
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
    EXPECT_EQ(here.left_over(), "");
    EXPECT_TRUE(is_free("outer"));
    EXPECT_TRUE(is_free("inner"));
}

TEST_F(nested, runs_end_together_when_the_outer_one_is_killed) {
    auto both = start_both();
    both.signal(SIGKILL);
    EXPECT_EQ(here.left_over(), "");
    EXPECT_TRUE(is_free("outer"));
}

TEST_F(nested, a_run_can_wait_for_a_lock_that_its_own_command_has_released) {
    const auto end = shell("$holdfast run a -- $holdfast run b -- $holdfast run c -- echo deep && "
                           "$holdfast run -n a -- $holdfast run -n b -- true");
    EXPECT_EQ(end.code, 0) << end.err;
    EXPECT_EQ(end.out, "deep\n");
}

} // namespace

} // namespace holdfast::test
