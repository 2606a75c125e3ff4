// Signals to `holdfast run`, and the signal state and environment that it is started with.

#include "cli/cli_fixture.hpp"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <sstream>

namespace holdfast::test {

namespace {

class signals : public cli {
protected:
    /// A command that prints which signal it got, and exits with 40.
    running_command start_signal_printer(const words& arguments = {},
                                         const start_options& options = {}) {
        const std::string script =
            "for s in TERM INT HUP QUIT USR1 USR2; do trap \"echo got $s; exit 40\" $s; done; "
            "echo ready; while :; do sleep 0.01; done";
        words all = arguments;
        all.insert(all.end(), {"x", "--", "bash", "-c", script});
        auto out = start(all, options);
        EXPECT_TRUE(eventually([&] { return out.out() == "ready\n" || out.has_ended(); }))
            << out.err();
        return out;
    }
};

TEST_F(signals, reach_the_command) {
    for (const auto& [number, name] : std::vector<std::pair<int, std::string>>{{SIGTERM, "TERM"},
                                                                               {SIGINT, "INT"},
                                                                               {SIGHUP, "HUP"},
                                                                               {SIGQUIT, "QUIT"},
                                                                               {SIGUSR1, "USR1"},
                                                                               {SIGUSR2, "USR2"}}) {
        auto job = start_signal_printer();
        job.signal(number);
        const auto end = job.wait();
        EXPECT_EQ(end.out, "ready\ngot " + name + "\n");
        EXPECT_EQ(end.code, 40) << name << end.err;
    }
}

TEST_F(signals, end_a_command_that_does_not_handle_them) {
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) {
        auto job = hold("x");
        job.signal(number);
        EXPECT_EQ(job.wait().code, 128 + number);
        EXPECT_TRUE(is_free("x"));
    }
    EXPECT_EQ(sandbox_.left_over(), "");
}

TEST_F(signals, may_arrive_at_any_time_after_the_start) {
    for (int delay = 0; delay < 30; ++delay) {
        auto job = start({"-q", "x", "--", "sleep", "1000"});
        std::this_thread::sleep_for(milliseconds{delay});
        job.signal(SIGTERM);
        EXPECT_EQ(job.wait().code, 143);
    }
    EXPECT_EQ(sandbox_.left_over(), "");
    EXPECT_TRUE(is_free("x"));
}

TEST_F(signals, cancel_the_wait) {
    const auto holder = hold("x");
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        auto waiter = start({"x", "--", "touch", "ran"});
        ASSERT_TRUE(eventually([&] { return has_waiters("x", 1); }));
        waiter.signal(number);
        const auto end = waiter.wait();
        EXPECT_EQ(end.code, 128 + number);
        EXPECT_EQ(end.err, "");
        EXPECT_TRUE(has_waiters("x", 0)) << "its queue entry is gone when it exits (P8)";
    }
    EXPECT_EQ(sandbox_.content("ran"), "");
}

TEST_F(signals, end_a_waiter_by_the_signal) {
    // After Ctrl-C a shell continues its script, unless the program died of SIGINT.
    const auto holder = hold("x");
    auto waiter = start({"x", "--", "true"});
    ASSERT_TRUE(eventually([&] { return has_waiters("x", 1); }));
    waiter.signal(SIGINT);
    EXPECT_TRUE(waiter.wait().signalled);
}

TEST_F(signals, that_arrive_just_before_the_command_starts_cancel_it) {
    auto holder = hold("x");
    auto job = start({"x", "--", "touch", "ran"});
    ASSERT_TRUE(eventually([&] { return has_waiters("x", 1); }));
    const auto guardian = guardian_of(job.pid());
    job.signal(SIGSTOP); // so that it cannot confirm the start
    holder.signal(SIGTERM);
    ASSERT_TRUE(eventually([&] {
        const auto all = all_processes();
        return std::any_of(all.begin(), all.end(),
                           [&](const process& process) { return process.parent == guardian; });
    }));
    ::kill(-job.pid(), SIGINT);
    job.signal(SIGCONT);
    const auto end = job.wait();
    EXPECT_EQ(end.code, 130);
    EXPECT_TRUE(end.signalled);
    EXPECT_FALSE(std::filesystem::exists(sandbox_.file("ran")));
    EXPECT_TRUE(is_free("x"));
    EXPECT_EQ(sandbox_.left_over(), "");
}

TEST_F(signals, that_arrive_together_with_the_grant_end_the_wait) {
    auto holder = hold("x");
    auto job = start({"x", "--", "touch", "ran"});
    ASSERT_TRUE(eventually([&] { return has_waiters("x", 1); }));
    const auto guardian = guardian_of(job.pid());
    ::kill(guardian, SIGSTOP); // so that it receives both at once
    holder.signal(SIGTERM);
    EXPECT_EQ(holder.wait().code, 143);
    job.signal(SIGTERM);
    std::this_thread::sleep_for(20ms); // the front sends its message to the guardian
    ::kill(guardian, SIGCONT);
    EXPECT_EQ(job.wait().code, 143);
    EXPECT_FALSE(std::filesystem::exists(sandbox_.file("ran")));
    EXPECT_EQ(sandbox_.left_over(), "");
    EXPECT_TRUE(is_free("x"));
}

TEST_F(signals, to_the_guardian_end_the_wait) {
    const auto holder = hold("x");
    auto job = start({"-q", "x", "--", "touch", "ran"});
    ASSERT_TRUE(eventually([&] { return has_waiters("x", 1); }));
    ::kill(guardian_of(job.pid()), SIGTERM);
    EXPECT_EQ(job.wait().code, 143);
    EXPECT_TRUE(has_waiters("x", 0));
}

TEST_F(signals, end_holdfast_like_the_command_even_if_it_sees_both_at_once) {
    auto job = start({"x", "--", "sh", "-c", "echo ready; exec sleep 1000"});
    ASSERT_TRUE(eventually([&] { return job.out() == "ready\n"; }));
    const auto guardian = guardian_of(job.pid());
    job.signal(SIGSTOP);
    ::kill(-job.pid(), SIGINT); // as Ctrl-C does
    ASSERT_TRUE(eventually([&] { return state_of(guardian) == 'Z'; }));
    job.signal(SIGCONT);
    const auto end = job.wait();
    EXPECT_EQ(end.code, 130);
    EXPECT_TRUE(end.signalled) << "otherwise a shell continues its script";
}

TEST_F(signals, that_are_ignored_stay_ignored) {
    auto job = start({"-c", "echo ready; sleep 1.5; grep SigIgn /proc/self/status", "x"},
                     {.ignored = {SIGHUP, SIGINT}});
    ASSERT_TRUE(eventually([&] { return job.out() == "ready\n"; }));
    job.signal(SIGHUP);
    job.signal(SIGINT);
    const auto end = job.wait();
    EXPECT_EQ(end.code, 0);
    const auto mask = std::stoull(end.out.substr(end.out.find(':') + 1), nullptr, 16);
    EXPECT_EQ(mask & 3U, 3U) << end.out;
}

TEST_F(signals, have_the_same_state_in_the_command) {
    const words probe{"sed", "-n", "s/^Sig\\(Ign\\|Blk\\):/\\1 /p", "/proc/self/status"};
    const auto masks = [](const command_result& result) {
        constexpr std::uint64_t glibc_internal = 0x180000000; // posix_spawn sets these two
        std::vector<std::uint64_t> out;
        std::istringstream text{result.out};
        for (std::string name, mask; text >> name >> mask;) {
            out.push_back(std::stoull("0" + mask, nullptr, 16) & ~glibc_internal);
        }
        return out;
    };
    const start_options some{.ignored = {SIGPIPE, SIGHUP, SIGUSR1, SIGTSTP}};
    for (const auto& options : {start_options{}, some}) {
        words under{"x", "--"};
        under.insert(under.end(), probe.begin(), probe.end());
        EXPECT_EQ(masks(run(under, options)), masks(sandbox_.run(probe, options)));
    }
}

TEST_F(signals, include_an_ignored_sigchld_of_the_caller) {
    // Then the kernel keeps no exit codes unless SIGCHLD is reset.
    const auto end = run({"x", "--", "sh", "-c", "exit 6"}, {.ignored = {SIGCHLD}});
    EXPECT_EQ(end.code, 6) << end.err;
}

TEST_F(signals, under_nohup_survive_a_hang_up) {
    auto job = sandbox_.start(
        {"nohup", HOLDFAST_CLI, "run", "x", "--", "sh", "-c", "echo ready; sleep 1; echo done"});
    ASSERT_TRUE(eventually([&] { return job.out() == "ready\n"; }));
    job.signal(SIGHUP);
    const auto end = job.wait();
    EXPECT_EQ(end.code, 0);
    EXPECT_EQ(end.out, "ready\ndone\n");
}

TEST_F(signals, of_timeout_end_the_command) {
    const stopwatch watch;
    const auto end =
        sandbox_.run({"timeout", "1", HOLDFAST_CLI, "run", "x", "--", "sleep", "1000"});
    EXPECT_EQ(end.code, 124);
    EXPECT_LT(watch.elapsed(), 1s + long_wait);
    EXPECT_EQ(sandbox_.left_over(), "");
    EXPECT_TRUE(is_free("x"));
}

TEST_F(signals, of_timeout_with_sigkill_end_a_command_that_ignores_sigterm) {
    const auto end =
        sandbox_.run({"timeout", "-s", "KILL", "1", HOLDFAST_CLI, "run", "-q", "--lease", "3s", "x",
                      "--", "sh", "-c", "trap '' TERM; sleep 1000"});
    EXPECT_EQ(end.code, 137);
    EXPECT_EQ(sandbox_.left_over(), "");
    EXPECT_TRUE(is_free("x"));
}

TEST_F(signals, and_environment_of_cron_are_no_problem) {
    const start_options cron{.closed = {0}, .bare_environment = true, .own_session = true};
    const auto end =
        run({"--url", sandbox_.url(), "x", "--", "sh", "-c", "echo $HOLDFAST_NAME; exit 3"}, cron);
    EXPECT_EQ(end.code, 3) << end.err;
    EXPECT_EQ(end.out, "x\n");
    const auto empty = sandbox_.run({"env", "-i", HOLDFAST_CLI, "run", "--url", sandbox_.url(), "x",
                                     "--", "sh", "-c", "exit 4"});
    EXPECT_EQ(empty.code, 4) << empty.err;
}

TEST_F(signals, to_the_process_group_end_the_command) {
    // As `kill -TERM -GROUP` and shells do with their jobs.
    auto job = sandbox_.start(
        {"setsid", "-w", HOLDFAST_CLI, "run", "x", "--", "sh", "-c", "echo ready; sleep 1000"},
        {.own_session = true});
    ASSERT_TRUE(eventually([&] { return job.out() == "ready\n"; }));
    for (const auto& process : sandbox_.processes()) {
        if (process.name == "holdfast") { ::kill(-process.group, SIGTERM); }
    }
    EXPECT_EQ(sandbox_.left_over(), "");
    EXPECT_TRUE(is_free("x"));
}

} // namespace

} // namespace holdfast::test
