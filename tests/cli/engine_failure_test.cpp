// An engine that is down or does not answer: how long the command tries it, and that a signal ends
// the command meanwhile.

#include "cli/cli_fixture.hpp"
#include "support/free_port.hpp"
#include "support/redis_server.hpp"

#include <holdfast/holdfast.hpp>

#include <algorithm>
#include <csignal>

#if HOLDFAST_WITH_REDIS

namespace holdfast::test {

namespace {

using ::testing::HasSubstr;

class dead_engine : public cli {
protected:
    const std::string url_ = "redis://127.0.0.1:" + std::to_string(free_port());
};

TEST_F(dead_engine, is_tried_for_connect_wait_by_every_command) {
    const std::string owner = "00000000-0000-4000-8000-000000000000:1";
    for (auto line : std::vector<words>{{"run", "-w", "1m", "x", "--", "true"},
                                        {"acquire", "x"},
                                        {"renew", "x", "--owner", owner},
                                        {"release", "x", "--owner", owner},
                                        {"demo"}}) {
        const auto command_name = line.front();
        line.insert(line.begin() + 1, {"--url", url_, "--connect-wait", "300ms"});
        const stopwatch watch;
        const auto end = command(line);
        EXPECT_EQ(end.code, 69) << command_name << end.err;
        EXPECT_GE(watch.elapsed(), 200ms) << command_name;
        EXPECT_LT(watch.elapsed(), 300ms + scaled(2s)) << command_name << ", not 5 s";
    }
}

TEST_F(dead_engine, is_reported_by_the_name_of_the_command_and_not_of_a_function) {
    for (auto line : std::vector<words>{
             {"ls"}, {"show", "x"}, {"break", "-y", "x"}, {"top"}, {"once", "x", "--", "true"}}) {
        const auto command_name = line.front();
        line.insert(line.begin() + 1, {"--url", url_, "--connect-wait", "100ms"});
        const auto end = command(line);
        EXPECT_EQ(end.code, 69) << end.err;
        EXPECT_THAT(end.err, ::testing::MatchesRegex("holdfast: " + command_name +
                                                     "( .x.)?: Redis at .*\n"));
    }
}

TEST_F(dead_engine, connect_wait_is_validated_and_documented) {
    for (const std::string wrong : {"0", "soon", "", "2d"}) {
        const auto end = run({"--url", url_, "--connect-wait", wrong, "x", "--", "true"});
        EXPECT_EQ(end.code, 64) << wrong;
        EXPECT_THAT(end.err, ::testing::ContainsRegex("connect.wait")) << wrong;
    }
    EXPECT_THAT(command({"man"}).out, HasSubstr("\\-\\-connect\\-wait DUR"));
    EXPECT_THAT(command({"completion", "bash"}).out, HasSubstr("--connect-wait"));
}

/// A stopped server: it accepts connections and requests, and answers nothing.
class hung_engine : public cli {
protected:
    [[nodiscard]] words with_url(const words& rest) const {
        words out{HOLDFAST_CLI, rest.front(), "--url", server_.url()};
        out.insert(out.end(), rest.begin() + 1, rest.end());
        return out;
    }
    /// Sends SIGTERM and returns how long the command takes to exit.
    static milliseconds time_to_end(running_command& job) {
        const stopwatch watch;
        job.signal(SIGTERM);
        EXPECT_EQ(job.wait().code, 143) << job.err();
        return watch.elapsed();
    }
    /// A run whose command exits with 7 once the file `go` exists.
    running_command start_until_go() {
        auto out =
            sandbox_.start(with_url({"run", "x", "--", "sh", "-c",
                                     "echo held; until [ -e go ]; do sleep 0.01; done; exit 7"}));
        EXPECT_TRUE(eventually([&] { return out.out() == "held\n"; })) << out.err();
        return out;
    }
    /// Lets the command exit; returns when the guardian is about to release the lock.
    void end_command(const running_command& job) {
        const auto guardian = guardian_of(job.pid());
        sandbox_.write("go", "");
        EXPECT_TRUE(eventually([&] {
            const auto all = all_processes();
            return std::none_of(all.begin(), all.end(),
                                [&](const process& process) { return process.parent == guardian; });
        }));
        std::this_thread::sleep_for(50ms);
    }
    bool is_held() {
        const client fleet{server_.url()};
        const auto info = admin{fleet}.inspect("x");
        return info && !info->holders.empty();
    }
    redis_server server_;
};

/// Well below connect_wait, 5 s.
constexpr auto promptly = 2500ms;

TEST_F(hung_engine, does_not_prevent_a_signal_from_ending_a_wait) {
    server_.pause();
    std::vector<running_command> jobs;
    for (const auto& line : std::vector<words>{{"run", "-w", "1m", "x", "--", "true"},
                                               {"run", "-n", "x", "--", "true"},
                                               {"run", "-v", "x", "--", "true"},
                                               {"acquire", "x"}}) {
        jobs.push_back(sandbox_.start(with_url(line)));
    }
    std::this_thread::sleep_for(200ms); // by now they wait for the server
    for (auto& job : jobs) { EXPECT_LT(time_to_end(job), promptly); }
    server_.resume();
    EXPECT_EQ(sandbox_.left_over(), "");
}

TEST_F(hung_engine, does_not_prevent_a_signal_from_ending_a_queued_waiter) {
    auto holder =
        sandbox_.start(with_url({"run", "x", "--", "sh", "-c", "echo held; exec sleep 1000"}));
    ASSERT_TRUE(eventually([&] { return holder.out() == "held\n"; })) << holder.err();
    auto waiter = sandbox_.start(with_url({"run", "-v", "x", "--", "true"}));
    ASSERT_TRUE(eventually([&] { return waiter.err().find("waiting") != std::string::npos; }));
    server_.pause();
    EXPECT_LT(time_to_end(waiter), promptly);
    server_.resume();
}

TEST_F(hung_engine, does_not_prevent_a_signal_from_ending_a_release) {
    auto job = start_until_go();
    server_.pause();
    end_command(job);
    EXPECT_LT(time_to_end(job), promptly);
    EXPECT_THAT(job.err(), HasSubstr("is still being released"));
    server_.resume();
    EXPECT_EQ(sandbox_.left_over(), "") << "the guardian continues, but ends in time";
    EXPECT_FALSE(is_held());
}

TEST_F(hung_engine, that_answers_late_has_released_the_lock_when_run_exits) {
    auto job = start_until_go();
    server_.pause();
    end_command(job);
    EXPECT_FALSE(job.has_ended()) << "it waits for the answer";
    server_.resume();
    EXPECT_EQ(job.wait().code, 7);
    EXPECT_FALSE(is_held());
}

} // namespace

} // namespace holdfast::test

#endif
