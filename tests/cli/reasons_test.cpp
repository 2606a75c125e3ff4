// The command tells why: lost, busy, mistyped, readable by others.

#include "cli/operator_fixture.hpp"
#include "support/redis_server.hpp"

#include <holdfast/holdfast.hpp>

#include <csignal>
#include <filesystem>
#include <utility>

namespace holdfast::test {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

class reasons : public operator_commands {};

TEST_F(reasons, a_broken_lock_is_called_broken) {
    auto job = hold_at("", "x");
    EXPECT_TRUE(admin{client{sandbox_.url()}}.break_lock("x"));
    const auto end = job.wait();
    EXPECT_EQ(end.code, 76);
    EXPECT_THAT(end.err,
                AllOf(HasSubstr("\"x\": the lock was lost (it was broken: an operator ended this "
                                "hold); the command was killed at once\n"),
                      Not(HasSubstr("run it again"))));
}

TEST_F(reasons, a_loss_is_an_error_which_quiet_prints) {
    const auto end = run({"-q", "--max-hold", "600ms", "--grace", "50ms", "x", "--", "sleep", "9"});
    EXPECT_EQ(end.code, 76);
    EXPECT_EQ(end.err, "holdfast: \"x\": ended: --max-hold is over; the command ended "
                       "on SIGTERM\n");
}

TEST_F(reasons, max_hold_is_named) {
    const auto end = run({"--max-hold", "600ms", "--grace", "50ms", "x", "--", "sleep", "1000"});
    EXPECT_EQ(end.code, 76);
    EXPECT_EQ(end.err, "holdfast: \"x\": --max-hold is about to end: ending the command\n"
                       "holdfast: \"x\": ended: --max-hold is over; the command ended "
                       "on SIGTERM\n");
}

TEST_F(reasons, a_command_that_had_to_be_killed_is_told_from_one_that_ended_on_sigterm) {
    const auto end = run({"--max-hold", "900ms", "--grace", "200ms", "-c",
                          "trap '' TERM; sleep 1000 & wait; wait; wait", "x"});
    EXPECT_EQ(end.code, 76);
    EXPECT_THAT(end.err, HasSubstr("did not end within 200ms of SIGTERM and was killed"));
}

TEST_F(reasons, the_end_of_a_guardian_names_the_lock) {
    auto job = hold_at("", "x");
    ::kill(guardian_of(job.pid()), SIGKILL);
    const auto end = job.wait();
    EXPECT_EQ(end.code, 76);
    EXPECT_EQ(end.err, "holdfast: \"x\": the guardian was killed; the command was killed, and the "
                       "lock is free when its lease expires\n");
    auto logged = hold_at("", "z", {"--log", "json"});
    const auto guardian = guardian_of(logged.pid());
    ::kill(guardian, SIGKILL);
    EXPECT_THAT(logged.wait().err,
                MatchesRegex(".*\"event\":\"lost\",\"token\":[0-9]+,\"reason\":"
                             "\"guardian_killed\",\"guardian_pid\":" +
                             std::to_string(guardian) + ",\"exit_code\":76,.*\n"));
    auto other = hold_at("", "y");
    ::kill(guardian_of(other.pid()), SIGTERM);
    EXPECT_EQ(other.wait().code, 143);
    EXPECT_THAT(other.err(), HasSubstr("\"y\": the guardian got SIGTERM: ending the command\n"));
}

TEST_F(reasons, busy_names_the_holder) {
    const auto holder = hold_at("", "x", {"--note", "by Ann"});
    const auto guardian = std::to_string(guardian_of(holder.pid()));
    for (const words& line : std::vector<words>{{"run", "-n", "x", "--", "true"},
                                                {"run", "-w", "100ms", "x", "--", "true"},
                                                {"acquire", "-n", "x"}}) {
        const auto end = command(line);
        EXPECT_EQ(end.code, 75);
        EXPECT_THAT(end.err, AllOf(HasSubstr("\"x\" is held by pid " + guardian + " on "),
                                   HasSubstr("(by Ann); try again later")));
    }
}

TEST_F(reasons, verbose_logs_the_grant_and_the_release) {
    const auto end = run({"-v", "x", "--", "sleep", "0.1"});
    EXPECT_EQ(end.code, 0);
    EXPECT_THAT(end.err, MatchesRegex("holdfast: \"x\": acquired after [0-9.ms]+, token [0-9]+, "
                                      "lease 30s\n"
                                      "holdfast: \"x\": the command ended with exit code 0 after "
                                      "[0-9.ms]+\nholdfast: \"x\": released after [0-9.ms]+\n"));
}

TEST_F(reasons, a_mistyped_command_is_named_with_the_nearest_one) {
    for (const auto& [typed, meant] :
         std::vector<std::pair<std::string, std::string>>{{"rnu", "run"},
                                                          {"sl", "ls"},
                                                          {"acquir", "acquire"},
                                                          {"rrelease", "release"},
                                                          {"brake", "break"},
                                                          {"event", "events"},
                                                          {"sho", "show"}}) {
        const auto end = command({typed, "x"});
        EXPECT_EQ(end.code, 64);
        EXPECT_THAT(end.err, AllOf(HasSubstr("\"" + typed + "\" is not a command of holdfast"),
                                   HasSubstr("did you mean '" + meant + "'?")));
    }
    const auto end = command({"frobnicate", "--", "x"});
    EXPECT_EQ(end.code, 64);
    EXPECT_THAT(end.err, AllOf(HasSubstr("\"frobnicate\" is not a command"),
                               HasSubstr("holdfast --help"), Not(HasSubstr("did you mean"))));
}

#if HOLDFAST_WITH_REDIS

TEST_F(reasons, a_server_that_hangs_is_named) {
    redis_server server;
    auto job = hold_at(server.url(), "x", {"--lease", "3s", "--grace", "300ms"});
    server.pause();
    const auto end = job.wait();
    EXPECT_EQ(end.code, 76);
    EXPECT_THAT(end.err, AllOf(HasSubstr("\"x\": the lease is about to expire: ending the command; "
                                         "it could not be renewed: "),
                               HasSubstr("the lock was lost (it "), HasSubstr("run it again"),
                               HasSubstr("127.0.0.1:" + std::to_string(server.port()))));
    server.resume();
}

TEST_F(reasons, of_a_server_that_hangs_agree_in_all_lines_of_the_log) {
    redis_server server;
    auto job = hold_at(server.url(), "x", {"--lease", "3s", "--grace", "300ms", "--log", "json"});
    server.pause();
    const auto end = job.wait();
    EXPECT_EQ(end.code, 76);
    EXPECT_THAT(end.err, AllOf(HasSubstr("\"event\":\"renewal_failed\""),
                               HasSubstr("\"event\":\"about_to_expire\""),
                               HasSubstr("\"reason\":\"unreachable\""),
                               Not(HasSubstr("\"reason\":\"expired\""))));
}

TEST_F(reasons, verbose_says_when_renewals_fail_and_when_they_work_again) {
    redis_server server;
    auto job = hold_at(server.url(), "x", {"-v", "--lease", "9s", "--grace", "300ms"});
    server.pause();
    EXPECT_TRUE(eventually([&] {
        return job.err().find("\"x\": the lease could not be renewed (") != std::string::npos;
    })) << job.err();
    EXPECT_THAT(job.err(), MatchesRegex("(.|\n)*; it ends in [0-9.ms]+ unless a retry succeeds\n"));
    server.resume();
    EXPECT_TRUE(eventually([&] {
        return job.err().find("\"x\": the lease is renewed again; ") != std::string::npos;
    })) << job.err();
}

TEST_F(reasons, lost_data_is_named) {
    redis_server server;
    auto job = hold_at(server.url(), "x", {"--lease", "3s", "--grace", "300ms"});
    server.flush_all();
    const auto end = job.wait();
    EXPECT_EQ(end.code, 76);
    EXPECT_THAT(end.err, HasSubstr("the lock was lost (the engine no longer has it: its data was "
                                   "lost, or it was broken"));
}

TEST_F(reasons, a_password_in_a_file_that_others_can_read_draws_a_warning) {
    const redis_server server{{.password = "secret"}};
    const auto port = std::to_string(server.port());
    sandbox_.write("url", "redis://:secret@127.0.0.1:" + port + "\n");
    const auto warned = [&] {
        const auto end = command({"ping", "--url-file", "url"});
        EXPECT_EQ(end.code, 0) << end.err;
        EXPECT_EQ((end.out + end.err).find("secret"), std::string::npos);
        return end.err.find("every user of this machine can read its password") !=
               std::string::npos;
    };
    using std::filesystem::perms;
    const auto file = sandbox_.file("url");
    std::filesystem::permissions(file, perms::owner_read | perms::others_read);
    EXPECT_TRUE(warned());
    std::filesystem::permissions(file, perms::owner_read | perms::group_read);
    EXPECT_FALSE(warned());
    sandbox_.write("public", "redis://127.0.0.1:" + port + "\n");
    EXPECT_THAT(command({"ping", "--url-file", "public"}).err, Not(HasSubstr("every user")));
}

TEST_F(reasons, no_wait_and_wait_bound_an_outage) {
    redis_server server;
    server.pause();
    for (const words& line : std::vector<words>{{"run", "-n", "x", "--", "true"},
                                                {"run", "-w", "500ms", "x", "--", "true"},
                                                {"acquire", "-w", "500ms", "x"}}) {
        const stopwatch watch;
        const auto end = at(server.url(), line);
        EXPECT_EQ(end.code, 69) << end.err;
        if (line[1] == "-n") {
            EXPECT_THAT(end.err, HasSubstr("it accepts connections but does not answer"));
        }
        EXPECT_LT(watch.elapsed(), 2s + scaled(1s)) << line[1] << ", not connect_wait";
    }
    server.resume();
}

#endif

} // namespace

} // namespace holdfast::test
