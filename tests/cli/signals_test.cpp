// Signals to `holdfast run`, and the surroundings that it is started in.

#include "cli/cli.hpp"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <sstream>

namespace holdfast::test {

namespace {

class signals : public cli {
protected:
    /// A command that says which signal it got, and ends with 40.
    running listener(const words& arguments = {}, const start_options& options = {}) {
        const std::string script =
            "for s in TERM INT HUP QUIT USR1 USR2; do trap \"echo got $s; exit 40\" $s; done; "
            "echo ready; while :; do sleep 0.01; done";
        words all = arguments;
        all.insert(all.end(), {"x", "--", "bash", "-c", script});
        auto out = start(all, options);
        EXPECT_TRUE(eventually([&] { return out.out() == "ready\n" || out.over(); })) << out.err();
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
        auto job = listener();
        job.signal(number);
        const auto end = job.wait();
        EXPECT_EQ(end.out, "ready\ngot " + name + "\n");
        EXPECT_EQ(end.code, 40) << name << end.err;
    }
}

TEST_F(signals, end_a_command_that_does_not_mind_them) {
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) {
        auto job = hold("x");
        job.signal(number);
        EXPECT_EQ(job.wait().code, 128 + number);
        EXPECT_TRUE(is_free("x"));
    }
    EXPECT_EQ(here.left_over(), "");
}

TEST_F(signals, may_come_as_early_as_they_like) {
    for (int delay = 0; delay < 30; ++delay) {
        auto job = start({"-q", "x", "--", "sleep", "1000"});
        std::this_thread::sleep_for(milliseconds{delay});
        job.signal(SIGTERM);
        EXPECT_EQ(job.wait().code, 143);
    }
    EXPECT_EQ(here.left_over(), "");
    EXPECT_TRUE(is_free("x"));
}

TEST_F(signals, cancel_the_waiting) {
    const auto holder = hold("x");
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        auto waiter = start({"x", "--", "touch", "ran"});
        ASSERT_TRUE(eventually([&] { return waiters_are("x", 1); }));
        waiter.signal(number);
        const auto end = waiter.wait();
        EXPECT_EQ(end.code, 128 + number);
        EXPECT_EQ(end.err, "");
        EXPECT_TRUE(waiters_are("x", 0)) << "when it is over, its queue entry is gone (P8)";
    }
    EXPECT_EQ(here.content("ran"), "");
}

TEST_F(signals, end_a_waiter_as_they_end_any_program) {
    // A shell goes on with its next line only if the program did not die of Ctrl-C.
    const auto holder = hold("x");
    auto waiter = start({"x", "--", "true"});
    ASSERT_TRUE(eventually([&] { return waiters_are("x", 1); }));
    waiter.signal(SIGINT);
    EXPECT_TRUE(waiter.wait().signalled);
}

TEST_F(signals, that_come_when_the_command_is_about_to_begin_keep_it_from_beginning) {
    auto holder = hold("x");
    auto job = start({"x", "--", "touch", "ran"});
    ASSERT_TRUE(eventually([&] { return waiters_are("x", 1); }));
    const auto guardian = guardian_of(job.pid());
    job.signal(SIGSTOP); // so that it cannot let the command begin
    holder.signal(SIGTERM);
    ASSERT_TRUE(eventually([&] {
        const auto all = all_processes();
        return std::any_of(all.begin(), all.end(),
                           [&](const process& one) { return one.parent == guardian; });
    }));
    ::kill(-job.pid(), SIGINT);
    job.signal(SIGCONT);
    const auto end = job.wait();
    EXPECT_EQ(end.code, 130);
    EXPECT_TRUE(end.signalled);
    EXPECT_FALSE(std::filesystem::exists(here.file("ran")));
    EXPECT_TRUE(is_free("x"));
    EXPECT_EQ(here.left_over(), "");
}

TEST_F(signals, that_come_at_the_same_moment_as_the_lock_end_the_wait) {
    auto holder = hold("x");
    auto job = start({"x", "--", "touch", "ran"});
    ASSERT_TRUE(eventually([&] { return waiters_are("x", 1); }));
    const auto guardian = guardian_of(job.pid());
    ::kill(guardian, SIGSTOP); // so that it hears of both at once
    holder.signal(SIGTERM);
    EXPECT_EQ(holder.wait().code, 143);
    job.signal(SIGTERM);
    std::this_thread::sleep_for(20ms); // for the front to tell the guardian
    ::kill(guardian, SIGCONT);
    EXPECT_EQ(job.wait().code, 143);
    EXPECT_FALSE(std::filesystem::exists(here.file("ran")));
    EXPECT_EQ(here.left_over(), "");
    EXPECT_TRUE(is_free("x"));
}

TEST_F(signals, to_the_guardian_end_the_waiting) {
    const auto holder = hold("x");
    auto job = start({"-q", "x", "--", "touch", "ran"});
    ASSERT_TRUE(eventually([&] { return waiters_are("x", 1); }));
    ::kill(guardian_of(job.pid()), SIGTERM);
    EXPECT_EQ(job.wait().code, 143);
    EXPECT_TRUE(waiters_are("x", 0));
}

TEST_F(signals, end_holdfast_as_they_ended_the_command_also_if_it_hears_of_both_at_once) {
    auto job = start({"x", "--", "sh", "-c", "echo ready; exec sleep 1000"});
    ASSERT_TRUE(eventually([&] { return job.out() == "ready\n"; }));
    const auto guardian = guardian_of(job.pid());
    job.signal(SIGSTOP);
    ::kill(-job.pid(), SIGINT); // as Ctrl-C does
    ASSERT_TRUE(eventually([&] { return state_of(guardian) == 'Z'; }));
    job.signal(SIGCONT);
    const auto end = job.wait();
    EXPECT_EQ(end.code, 130);
    EXPECT_TRUE(end.signalled) << "or a shell goes on with its next command";
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

TEST_F(signals, that_were_ignored_or_not_are_so_in_the_command) {
    const words look{"sed", "-n", "s/^Sig\\(Ign\\|Blk\\):/\\1 /p", "/proc/self/status"};
    const auto masks = [](const outcome& outcome) {
        constexpr std::uint64_t own_of_glibc = 0x180000000; // posix_spawn sets these two
        std::vector<std::uint64_t> out;
        std::istringstream text{outcome.out};
        for (std::string name, mask; text >> name >> mask;) {
            out.push_back(std::stoull("0" + mask, nullptr, 16) & ~own_of_glibc);
        }
        return out;
    };
    const start_options some{.ignored = {SIGPIPE, SIGHUP, SIGUSR1, SIGTSTP}};
    for (const auto& options : {start_options{}, some}) {
        words under{"x", "--"};
        under.insert(under.end(), look.begin(), look.end());
        EXPECT_EQ(masks(run(under, options)), masks(here.run(look, options)));
    }
}

TEST_F(signals, of_children_may_have_been_ignored_by_the_caller) {
    // Then the kernel keeps no exit codes, unless one asks for them.
    const auto end = run({"x", "--", "sh", "-c", "exit 6"}, {.ignored = {SIGCHLD}});
    EXPECT_EQ(end.code, 6) << end.err;
}

TEST_F(signals, nohup_outlives_a_hang_up) {
    auto job = here.start(
        {"nohup", HOLDFAST_CLI, "run", "x", "--", "sh", "-c", "echo ready; sleep 1; echo done"});
    ASSERT_TRUE(eventually([&] { return job.out() == "ready\n"; }));
    job.signal(SIGHUP);
    const auto end = job.wait();
    EXPECT_EQ(end.code, 0);
    EXPECT_EQ(end.out, "ready\ndone\n");
}

TEST_F(signals, timeout_ends_the_command) {
    const stopwatch watch;
    const auto end = here.run({"timeout", "1", HOLDFAST_CLI, "run", "x", "--", "sleep", "1000"});
    EXPECT_EQ(end.code, 124);
    EXPECT_LT(watch.elapsed(), 1s + long_wait);
    EXPECT_EQ(here.left_over(), "");
    EXPECT_TRUE(is_free("x"));
}

TEST_F(signals, timeout_with_kill_ends_what_does_not_listen) {
    const auto end = here.run({"timeout", "-s", "KILL", "1", HOLDFAST_CLI, "run", "-q", "--lease",
                               "3s", "x", "--", "sh", "-c", "trap '' TERM; sleep 1000"});
    EXPECT_EQ(end.code, 137);
    EXPECT_EQ(here.left_over(), "");
    EXPECT_TRUE(is_free("x"));
}

TEST_F(signals, under_cron_there_is_no_terminal_and_no_environment) {
    const start_options cron{.closed = {0}, .bare_environment = true, .own_session = true};
    const auto end =
        run({"--url", here.url(), "x", "--", "sh", "-c", "echo $HOLDFAST_NAME; exit 3"}, cron);
    EXPECT_EQ(end.code, 3) << end.err;
    EXPECT_EQ(end.out, "x\n");
    const auto empty = here.run(
        {"env", "-i", HOLDFAST_CLI, "run", "--url", here.url(), "x", "--", "sh", "-c", "exit 4"});
    EXPECT_EQ(empty.code, 4) << empty.err;
}

TEST_F(signals, to_a_whole_group_end_the_command_once_and_for_all) {
    // As `kill -TERM -GROUP` and shells do with their jobs.
    auto job = here.start(
        {"setsid", "-w", HOLDFAST_CLI, "run", "x", "--", "sh", "-c", "echo ready; sleep 1000"},
        {.own_session = true});
    ASSERT_TRUE(eventually([&] { return job.out() == "ready\n"; }));
    for (const auto& one : here.processes()) {
        if (one.name == "holdfast") { ::kill(-one.group, SIGTERM); }
    }
    EXPECT_EQ(here.left_over(), "");
    EXPECT_TRUE(is_free("x"));
}

} // namespace

} // namespace holdfast::test
