// `holdfast run` without /proc, or with the /proc of another pid namespace: it cannot read the
// process tree there, and still ends all of it (P1).

#include "cli/guarded_fixture.hpp"
#include "support/redis_server.hpp"

#include <algorithm>
#include <csignal>

namespace holdfast::test {

namespace {

/// Words that run a command as the first process of a new pid namespace; empty if that is not
/// permitted.
words unshare_words(sandbox& sandbox, const std::string& flags) {
    for (const std::string& all : {flags, "U" + flags, "Ur" + flags}) {
        if (sandbox.run({"unshare", "-" + all, "true"}).code == 0) {
            return {"unshare", "-" + all};
        }
    }
    return {};
}

class pid_namespace : public guarded {
protected:
    void SetUp() override {
        // The first process outlives the command: when it exits, the kernel kills all others.
        // If the test fails, its folder goes, and this process with it.
        sandbox_.write("first", "\"$@\"; echo $? > code; "
                                "while [ -e first ] && ! [ -e end ]; do sleep 0.01; done");
        if (unshare_words(sandbox_, "pf").empty()) {
            GTEST_SKIP() << "unshare(1) may not make a pid namespace here";
        }
    }

    /// `holdfast run OPTIONS... x -- ...` under the /proc of another namespace.
    running_command start_in_namespace(worker_kind kind, const words& options) {
        auto all = unshare_words(sandbox_, "pf");
        all.insert(all.end(), {"sh", "first"});
        return sandbox_.start(with_run(all, kind, options));
    }

    static words with_run(words all, worker_kind kind, const words& options) {
        const auto command = worker_words(kind);
        all.insert(all.end(), {HOLDFAST_CLI, "run", "-q"});
        all.insert(all.end(), options.begin(), options.end());
        all.insert(all.end(), {"x", "--"});
        all.insert(all.end(), command.begin(), command.end());
        return all;
    }

    /// The pid of a process in the namespace of this test; 0: there is none.
    pid_t find_pid(const std::string& name) {
        const auto all = sandbox_.processes();
        const auto found = std::find_if(
            all.begin(), all.end(), [&](const process& process) { return process.name == name; });
        return found == all.end() ? 0 : found->pid;
    }

    /// Expects the exit code of `holdfast run`, and that no worker survives it.
    void expect_end(const std::string& code, const running_command& job) {
        EXPECT_TRUE(eventually([&] { return sandbox_.content("code") == code; }))
            << sandbox_.content("code") << job.err();
        const auto before = tokens().size();
        EXPECT_GT(before, 0U);
        EXPECT_TRUE(throughout(150ms, [&] { return tokens().size() == before; }))
            << "a worker survives";
    }
};

const words one_second{"--lease", "2s", "--max-hold", "1s", "--grace", "100ms"};

class every_worker_in_a_pid_namespace : public pid_namespace,
                                        public ::testing::WithParamInterface<worker_kind> {};

TEST_P(every_worker_in_a_pid_namespace, is_ended_with_the_lock) {
    const auto job = start_in_namespace(GetParam(), one_second);
    expect_end("76\n", job);
}

INSTANTIATE_TEST_SUITE_P(cli, every_worker_in_a_pid_namespace,
                         ::testing::Values(worker_kind::plain, worker_kind::grandchild,
                                           worker_kind::own_session, worker_kind::ignores_signals,
                                           worker_kind::double_forked));

TEST_F(pid_namespace, a_daemon_is_ended_before_the_lock_is_released) {
    const auto job = start_in_namespace(worker_kind::daemon, {"--lease", "5s", "--grace", "100ms"});
    expect_end("0\n", job);
    EXPECT_TRUE(is_free("x"));
}

TEST_F(pid_namespace, everything_is_ended_if_the_guardian_is_killed) {
    const auto job = start_in_namespace(worker_kind::grandchild, {});
    ASSERT_NE(token_above(0), 0U) << job.err();
    ::kill(find_pid("hf-guardian"), SIGKILL);
    expect_end("76\n", job);
}

TEST_F(pid_namespace, everything_is_ended_if_the_guardian_is_stopped) {
    const auto job =
        start_in_namespace(worker_kind::own_session, {"--lease", "1500ms", "--grace", "100ms"});
    ASSERT_NE(token_above(0), 0U) << job.err();
    ::kill(find_pid("hf-guardian"), SIGSTOP);
    expect_end("76\n", job);
}

TEST_F(pid_namespace, everything_is_ended_if_the_front_is_killed) {
    const auto job =
        start_in_namespace(worker_kind::double_forked, {"--lease", "5s", "--grace", "100ms"});
    ASSERT_NE(token_above(0), 0U) << job.err();
    ::kill(find_pid("holdfast"), SIGKILL);
    EXPECT_TRUE(eventually([&] { return find_pid("hf-guardian") == 0; }));
    expect_end("137\n", job);
    EXPECT_TRUE(is_free("x"));
}

TEST_F(pid_namespace, a_signal_ends_the_command) {
    const auto job = start_in_namespace(worker_kind::plain, {});
    ASSERT_NE(token_above(0), 0U) << job.err();
    ::kill(find_pid("holdfast"), SIGTERM);
    expect_end("143\n", job);
    EXPECT_TRUE(is_free("x"));
}

/// A command whose worker has a pid out of the usual order.
class chosen_pids : public pid_namespace {
protected:
    void SetUp() override {
        pid_namespace::SetUp();
        sandbox_.write("second",
                       "echo 20000 > " + last_pid + " && exec sh first \"$@\" || echo no > code");
    }
    /// The worker gets `pid`; the kernel assigns later pids from `next` on.
    void expect_end_of_worker(int pid, int next) {
        const auto set = [&](int value) {
            return "echo " + std::to_string(value) + " > " + last_pid;
        };
        const auto work = worker_words(worker_kind::plain).back();
        auto all = unshare_words(sandbox_, "pf");
        all.insert(all.end(), {"sh", "second", HOLDFAST_CLI, "run", "-q"});
        all.insert(all.end(), one_second.begin(), one_second.end());
        all.insert(all.end(),
                   {"x", "--", "sh", "-c",
                    set(pid - 1) + "; sh -c '" + work + "' & " + set(next) + "; exec sleep 1000"});
        const auto job = sandbox_.start(all);
        ASSERT_TRUE(eventually([&] { return !sandbox_.content("code").empty(); })) << job.err();
        if (sandbox_.content("code") == "no\n") {
            GTEST_SKIP() << last_pid + " cannot be set here";
        }
        expect_end("76\n", job);
    }
    const std::string last_pid = "/proc/sys/kernel/ns_last_pid";
};

TEST_F(chosen_pids, that_wrapped_around_are_found) { expect_end_of_worker(400, 500); }

TEST_F(chosen_pids, that_are_below_the_guardians_are_found) { expect_end_of_worker(400, 20'100); }

#if HOLDFAST_WITH_REDIS

TEST_F(pid_namespace, everything_is_ended_without_any_proc) {
    auto all = unshare_words(sandbox_, "pmf");
    if (all.empty()) { // e.g. in a chroot: it would hide the /proc of this machine
        GTEST_SKIP() << "unshare(1) may not make a mount namespace here";
    }
    all.insert(
        all.end(),
        {"sh", "-c", "mount -t tmpfs none /proc && exec sh first \"$@\" || echo no > code", "sh"});
    redis_server server; // the embedded engine needs /proc
    auto options = one_second;
    options.insert(options.end(), {"--url", server.url()});
    const auto job = sandbox_.start(with_run(all, worker_kind::grandchild, options));
    ASSERT_TRUE(eventually([&] { return !sandbox_.content("code").empty(); })) << job.err();
    if (sandbox_.content("code") == "no\n") { GTEST_SKIP() << "/proc cannot be hidden here"; }
    expect_end("76\n", job);
}

#endif

} // namespace

} // namespace holdfast::test
