// elect, once and latch.

#include "cli/cli_fixture.hpp"

#include <holdfast/holdfast.hpp>

#include <algorithm>
#include <csignal>
#include <sstream>
#include <thread>

namespace holdfast::test {

namespace {

using ::testing::HasSubstr;

class coordination : public cli {
protected:
    running_command begin(const words& rest) { return sandbox_.start(holdfast_words(rest)); }
    [[nodiscard]] std::size_t lines(const std::string& name) const {
        const auto text = sandbox_.content(name);
        return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    }
};

TEST_F(coordination, once_runs_the_command_once_and_gives_its_output_and_exit_code_to_all) {
    const words same{"once", "schema",
                     "--",   "sh",
                     "-c",   "echo ran >> runs; echo out; echo err >&2; sleep 0.3; exit 3"};
    auto first = begin(same);
    auto second = begin(same);
    const auto one = first.wait();
    const auto two = second.wait();
    EXPECT_EQ(one.code, 3) << one.err;
    EXPECT_EQ(two.code, 3) << two.err;
    EXPECT_EQ(one.out, "out\n");
    EXPECT_EQ(two.out, "out\n");
    EXPECT_EQ(one.err + two.err, "err\n");
    EXPECT_EQ(command(same).code, 3);
    EXPECT_EQ(lines("runs"), 1U);
}

TEST_F(coordination, once_lets_the_next_one_run_it_when_it_is_killed) {
    const words slow{"once", "--lease", "1s", "schema",
                     "--",   "sh",      "-c", "echo $$ >> runs; exec sleep 100"};
    auto first = begin(slow);
    ASSERT_TRUE(eventually([&] { return lines("runs") == 1; }));
    auto second = begin({"once", "--lease", "1s", "schema", "--", "echo", "mine"});
    first.signal(SIGKILL);
    EXPECT_EQ(second.wait().out, "mine\n");
    EXPECT_EQ(command({"once", "schema", "--", "echo", "never"}).out, "mine\n");
    EXPECT_EQ(sandbox_.left_over(), "") << "the command outlives the lock";
}

TEST_F(coordination, once_has_no_result_of_a_command_that_a_signal_ended_or_that_is_not_found) {
    EXPECT_EQ(command({"once", "schema", "--", "sh", "-c", "kill -9 $$"}).code, 137);
    EXPECT_EQ(command({"once", "schema", "--", "no-such-command"}).code, 127);
    EXPECT_EQ(command({"once", "schema", "--", "echo", "done"}).out, "done\n");
}

TEST_F(coordination, once_says_that_its_lock_was_broken_with_the_lock_and_the_token) {
    const words slow{"once", "--log", "json", "schema",
                     "--",   "sh",    "-c",   "echo x > started; exec sleep 100"};
    auto first = begin(slow);
    ASSERT_TRUE(eventually([&] { return lines("started") == 1; }));
    EXPECT_EQ(command({"once", "--log", "json", "-w", "0", "schema", "--", "true"}).code, 75);
    EXPECT_EQ(command({"break", "-y", "once:schema"}).code, 0);
    const auto end = first.wait();
    EXPECT_EQ(end.code, 76);
    EXPECT_THAT(end.err, testing::ContainsRegex(
                             "\"lock\":\"once:schema\",\"event\":\"lost\",\"token\":[0-9]+,"
                             "\"reason\":\"broken\",\"exit_code\":76"));
    EXPECT_THAT(end.err, HasSubstr("(it was broken: an operator ended this hold); the command was "
                                   "killed\"}\n"));
}

TEST_F(coordination, once_waits_no_longer_than_it_may) {
    auto first = begin({"once", "schema", "--", "sh", "-c", "echo x > started; sleep 100"});
    ASSERT_TRUE(eventually([&] { return lines("started") == 1; }));
    EXPECT_EQ(command({"once", "-w", "50ms", "schema", "--", "true"}).code, 75);
    auto waiting = begin({"once", "schema", "--", "true"});
    std::this_thread::sleep_for(200ms);
    waiting.signal(SIGTERM);
    EXPECT_EQ(waiting.wait().code, 143);
    first.signal(SIGTERM);
    EXPECT_EQ(first.wait().code, 143);
}

TEST_F(coordination, once_keeps_the_beginning_of_a_long_output) {
    const words same{"once", "long", "--", "sh", "-c", "head -c 70000 /dev/zero | tr '\\0' x"};
    EXPECT_EQ(command(same).out.size(), 70'000U);
    const auto second = command(same);
    EXPECT_EQ(second.out.size(), 60'000U);
    EXPECT_THAT(second.err, HasSubstr("longer"));
}

TEST_F(coordination, elect_runs_the_command_of_one_candidate_at_a_time) {
    const words same{
        "elect",     "--lease", "1s", "--value", "here",
        "scheduler", "--",      "sh", "-c",      "echo $HOLDFAST_TOKEN >> terms; exec sleep 100"};
    auto first = begin(same);
    ASSERT_TRUE(eventually([&] { return lines("terms") == 1; }));
    auto second = begin(same);
    std::this_thread::sleep_for(200ms);
    EXPECT_EQ(lines("terms"), 1U);
    {
        client own{sandbox_.url()};
        EXPECT_EQ((election{own, "scheduler"}.leader().value), "here");
    }
    first.signal(SIGTERM);
    EXPECT_EQ(first.wait().code, 143);
    EXPECT_TRUE(eventually([&] { return lines("terms") == 2; }));
    second.signal(SIGTERM);
    EXPECT_EQ(second.wait().code, 143);
    std::istringstream terms{sandbox_.content("terms")};
    std::uint64_t one = 0;
    std::uint64_t two = 0;
    terms >> one >> two;
    EXPECT_LT(one, two);
}

TEST_F(coordination, elect_ends_the_command_and_campaigns_again_when_the_term_is_lost) {
    auto only = begin({"elect", "--lease", "1s", "scheduler", "--", "sh", "-c",
                       "echo $HOLDFAST_TOKEN >> terms; exec sleep 100"});
    ASSERT_TRUE(eventually([&] { return lines("terms") == 1; }));
    client own{sandbox_.url()};
    ASSERT_TRUE(admin{own}.break_lock("election:scheduler"));
    EXPECT_TRUE(eventually([&] { return lines("terms") == 2; })) << only.err();
    only.signal(SIGTERM);
    EXPECT_EQ(only.wait().code, 143);
    EXPECT_THAT(only.err(), HasSubstr("campaigns again"));
    EXPECT_THAT(only.err(), Not(HasSubstr("run it again"))) << "it campaigns by itself";
    EXPECT_EQ(sandbox_.left_over(), "");
}

TEST_F(coordination, elect_names_the_term) {
    const auto plain = command({"elect", "scheduler", "--", "sh", "-c", "echo $HOLDFAST_TOKEN"});
    const auto term = plain.out.substr(0, plain.out.find('\n'));
    EXPECT_THAT(plain.err, testing::StartsWith("holdfast: \"scheduler\": in office, term " + term +
                                               ", after"));
    EXPECT_EQ(command({"elect", "-q", "scheduler", "--", "true"}).err, "");
    const auto verbose = command({"elect", "-v", "--log", "json", "--note", "by Ann", "scheduler",
                                  "--", HOLDFAST_CLI, "show", "election:scheduler"});
    EXPECT_THAT(verbose.out, HasSubstr("by Ann"));
    EXPECT_THAT(verbose.err, HasSubstr("\"event\":\"granted\",\"token\":"));
    EXPECT_THAT(verbose.err, HasSubstr("\"event\":\"released\""));
}

TEST_F(coordination, elect_returns_the_exit_code_of_a_command_that_ends) {
    EXPECT_EQ(command({"elect", "scheduler", "--", "sh", "-c", "exit 76"}).code, 76);
    EXPECT_EQ(command({"elect", "scheduler", "--", "no-such-command"}).code, 127);
    EXPECT_EQ(command({"elect", "scheduler"}).code, 64);
    EXPECT_EQ(command({"elect", "--lease", "1ms", "scheduler", "--", "true"}).code, 64);
}

TEST_F(coordination, latch_waits_for_all) {
    auto waiting = begin({"latch", "wait", "ready", "2"});
    EXPECT_EQ(command({"latch", "count-down", "--id", "a", "ready", "2"}).code, 0);
    EXPECT_EQ(command({"latch", "count-down", "--id", "a", "ready", "2"}).code, 0);
    const auto early = command({"latch", "wait", "-w", "50ms", "ready", "2"});
    EXPECT_EQ(early.code, 75);
    EXPECT_THAT(early.err, HasSubstr("1 of 2"));
    EXPECT_FALSE(waiting.has_ended());
    EXPECT_EQ(command({"latch", "count-down", "--id", "b", "ready", "2"}).code, 0);
    EXPECT_EQ(waiting.wait().code, 0);
    EXPECT_EQ(command({"latch", "init", "ready", "2"}).code, 0);
    EXPECT_EQ(command({"latch", "wait", "-w", "0", "ready", "2"}).code, 75);
}

TEST_F(coordination, latch_refuses_what_makes_no_sense) {
    EXPECT_EQ(command({"latch", "open", "ready", "2"}).code, 64);
    EXPECT_EQ(command({"latch", "wait", "ready"}).code, 64);
    EXPECT_EQ(command({"latch", "init", "ready"}).code, 64);
    EXPECT_EQ(command({"latch", "wait", "ready", "0"}).code, 64);
    EXPECT_EQ(command({"latch", "count-down", "ready", "2"}).code, 0);
    EXPECT_EQ(command({"latch", "count-down", "ready", "3"}).code, 64);
    EXPECT_EQ(command({"latch", "--url", "redlock://a,b,c", "wait", "ready", "3"}).code, 64);
}

TEST_F(coordination, latch_waits_for_no_other_count_than_the_one_in_use) {
    EXPECT_EQ(command({"latch", "init", "ready", "2"}).code, 0);
    auto early = begin({"latch", "wait", "ready", "3"});
    EXPECT_EQ(command({"latch", "count-down", "ready", "2"}).code, 0);
    EXPECT_EQ(early.wait().code, 64);
    EXPECT_EQ(command({"latch", "count-down", "ready", "2"}).code, 0);
    const auto end = command({"latch", "wait", "ready", "3"});
    EXPECT_EQ(end.code, 64);
    EXPECT_THAT(end.err, HasSubstr("in use with a count of 2"));
    EXPECT_EQ(command({"latch", "wait", "ready", "2"}).code, 0);
}

TEST_F(coordination, commands_are_in_the_help_the_man_page_and_the_completions) {
    for (const std::string name : {"elect", "once", "latch"}) {
        EXPECT_THAT(command({"--help"}).out, HasSubstr(name));
        EXPECT_THAT(command({name, "--help"}).out, HasSubstr("Examples:"));
        EXPECT_THAT(command({"man"}).out, HasSubstr(".SH HOLDFAST " + name));
        EXPECT_THAT(command({"completion", "bash"}).out, HasSubstr(name));
    }
}

} // namespace

} // namespace holdfast::test
