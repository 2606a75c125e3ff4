// `holdfast run` where /proc is missing or shows another pid namespace: it cannot walk the process
// tree there, and ends everything all the same (P1).

#include "cli/guarded.hpp"
#include "support/redis_server.hpp"

#include <algorithm>
#include <csignal>

namespace holdfast::test {

namespace {

/// Words that run a command as the first process of a pid namespace of its own; empty if that is
/// not permitted.
words unshare_words(scene& where, const std::string& flags) {
    for (const std::string& all : {flags, "U" + flags, "Ur" + flags}) {
        if (where.run({"unshare", "-" + all, "true"}).code == 0) { return {"unshare", "-" + all}; }
    }
    return {};
}

class pid_namespace : public guarded {
protected:
    void SetUp() override {
        // The first process outlives the command: with its end the kernel would end all others.
        here.write("first", "\"$@\"; echo $? > code; until [ -e over ]; do sleep 0.01; done");
        if (unshare_words(here, "pf").empty()) {
            GTEST_SKIP() << "unshare(1) may not make a pid namespace here";
        }
    }

    /// `holdfast run OPTIONS... x -- ...` under the /proc of another namespace.
    running start_worker(shape form, const words& options) {
        auto all = unshare_words(here, "pf");
        all.insert(all.end(), {"sh", "first"});
        return here.start(with_run(all, form, options));
    }

    static words with_run(words all, shape form, const words& options) {
        const auto command = worker(form);
        all.insert(all.end(), {HOLDFAST_CLI, "run", "-q"});
        all.insert(all.end(), options.begin(), options.end());
        all.insert(all.end(), {"x", "--"});
        all.insert(all.end(), command.begin(), command.end());
        return all;
    }

    /// Of a process by its name, as the namespace of this test sees it; 0: there is none.
    pid_t pid_of(const std::string& name) {
        const auto all = here.processes();
        const auto found = std::find_if(all.begin(), all.end(),
                                        [&](const process& each) { return each.name == name; });
        return found == all.end() ? 0 : found->pid;
    }

    /// The exit code of `holdfast run`, and that nothing works any more then.
    void expect_end(const std::string& code, const running& job) {
        EXPECT_TRUE(eventually([&] { return here.content("code") == code; }))
            << here.content("code") << job.err();
        const auto before = tokens().size();
        EXPECT_GT(before, 0U);
        EXPECT_TRUE(throughout(150ms, [&] { return tokens().size() == before; })) << "it survives";
    }
};

const words one_second{"--lease", "2s", "--max-hold", "1s", "--grace", "100ms"};

class every_shape_in_a_pid_namespace : public pid_namespace,
                                       public ::testing::WithParamInterface<shape> {};

TEST_P(every_shape_in_a_pid_namespace, is_ended_with_the_lock) {
    const auto job = start_worker(GetParam(), one_second);
    expect_end("76\n", job);
}

INSTANTIATE_TEST_SUITE_P(cli, every_shape_in_a_pid_namespace,
                         ::testing::Values(shape::plain, shape::grandchild, shape::own_session,
                                           shape::deaf, shape::double_forked));

TEST_F(pid_namespace, a_daemon_is_ended_before_the_lock_is_released) {
    const auto job = start_worker(shape::daemon, {"--lease", "5s", "--grace", "100ms"});
    expect_end("0\n", job);
    EXPECT_TRUE(is_free("x"));
}

TEST_F(pid_namespace, everything_is_ended_if_the_guardian_is_killed) {
    const auto job = start_worker(shape::grandchild, {});
    ASSERT_NE(token_above(0), 0U) << job.err();
    ::kill(pid_of("hf-guardian"), SIGKILL);
    expect_end("76\n", job);
}

TEST_F(pid_namespace, everything_is_ended_if_the_guardian_is_stopped) {
    const auto job = start_worker(shape::own_session, {"--lease", "1500ms", "--grace", "100ms"});
    ASSERT_NE(token_above(0), 0U) << job.err();
    ::kill(pid_of("hf-guardian"), SIGSTOP);
    expect_end("76\n", job);
}

TEST_F(pid_namespace, everything_is_ended_if_the_front_is_killed) {
    const auto job = start_worker(shape::double_forked, {"--lease", "5s", "--grace", "100ms"});
    ASSERT_NE(token_above(0), 0U) << job.err();
    ::kill(pid_of("holdfast"), SIGKILL);
    EXPECT_TRUE(eventually([&] { return pid_of("hf-guardian") == 0; }));
    expect_end("137\n", job);
    EXPECT_TRUE(is_free("x"));
}

TEST_F(pid_namespace, a_signal_ends_the_command) {
    const auto job = start_worker(shape::plain, {});
    ASSERT_NE(token_above(0), 0U) << job.err();
    ::kill(pid_of("holdfast"), SIGTERM);
    expect_end("143\n", job);
    EXPECT_TRUE(is_free("x"));
}

/// A command whose worker has a number that the kernel would not have given it.
class chosen_pids : public pid_namespace {
protected:
    void SetUp() override {
        pid_namespace::SetUp();
        here.write("second",
                   "echo 20000 > " + last_pid + " && exec sh first \"$@\" || echo no > code");
    }
    /// The worker's is `number`; then the kernel goes on from `next`.
    void expect_end_of_worker(int number, int next) {
        const auto set = [&](int to) { return "echo " + std::to_string(to) + " > " + last_pid; };
        const auto work = worker(shape::plain).back();
        auto all = unshare_words(here, "pf");
        all.insert(all.end(), {"sh", "second", HOLDFAST_CLI, "run", "-q"});
        all.insert(all.end(), one_second.begin(), one_second.end());
        all.insert(all.end(), {"x", "--", "sh", "-c",
                               set(number - 1) + "; sh -c '" + work + "' & " + set(next) +
                                   "; exec sleep 1000"});
        const auto job = here.start(all);
        ASSERT_TRUE(eventually([&] { return !here.content("code").empty(); })) << job.err();
        if (here.content("code") == "no\n") { GTEST_SKIP() << last_pid + " cannot be set here"; }
        expect_end("76\n", job);
    }
    const std::string last_pid = "/proc/sys/kernel/ns_last_pid";
};

TEST_F(chosen_pids, that_began_anew_are_found) { expect_end_of_worker(400, 500); }

TEST_F(chosen_pids, that_are_none_of_those_since_the_start_are_found) {
    expect_end_of_worker(400, 20'100);
}

#if HOLDFAST_WITH_REDIS

TEST_F(pid_namespace, everything_is_ended_also_without_any_proc) {
    auto all = unshare_words(here, "pmf");
    all.insert(
        all.end(),
        {"sh", "-c", "mount -t tmpfs none /proc && exec sh first \"$@\" || echo no > code", "sh"});
    redis_server server; // the embedded engine needs /proc
    auto options = one_second;
    options.insert(options.end(), {"--url", server.url()});
    const auto job = here.start(with_run(all, shape::grandchild, options));
    ASSERT_TRUE(eventually([&] { return !here.content("code").empty(); })) << job.err();
    if (here.content("code") == "no\n") { GTEST_SKIP() << "/proc cannot be hidden here"; }
    expect_end("76\n", job);
}

#endif

} // namespace

} // namespace holdfast::test
