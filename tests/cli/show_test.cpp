// holdfast show, ls and break of an election, a once flag and a latch; forgetting them.

#include "cli/operator_fixture.hpp"
#include "support/redis_server.hpp"

#include <csignal>

namespace holdfast::test {

namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class show : public operator_commands {
protected:
    running_command begin(const words& rest) { return sandbox_.start(holdfast_words(rest)); }
    std::string json(const std::string& name, const std::string& expression) {
        return of_json(command({"show", "--json", name}).out, expression);
    }
};

TEST_F(show, names_the_leader_of_an_election_its_value_and_the_candidates) {
    const words same{"elect", "--value", "10.0.0.7:80", "sched", "--", "sleep", "1000"};
    auto leader = begin(same);
    ASSERT_TRUE(eventually([&] { return command({"show", "sched"}).code == 0; }));
    auto candidate = begin(same);
    ASSERT_TRUE(eventually([&] { return has_waiters("election:sched", 1); }));
    const auto text = command({"show", "sched"}).out;
    EXPECT_THAT(text,
                AllOf(ContainsRegex("\"sched\": election, term [0-9]+, value \"10.0.0.7:80\"\n"),
                      ContainsRegex(" 20[0-9-]{8}T[0-9:]{8}Z "), HasSubstr("Led by 1\n"),
                      HasSubstr("Candidates, the next one first: 1\n")));
    const auto pid = std::to_string(guardian_of(leader.pid()));
    EXPECT_EQ(json("sched", "each['kind'], each['value'], each['leader']['pid'], "
                            "each['leader']['token'] == each['term'], len(each['candidates'])"),
              "('election', '10.0.0.7:80', " + pid + ", True, 1)\n");
    EXPECT_THAT(command({"ls", "sched"}).out, HasSubstr("election:sched"));
    EXPECT_THAT(command({"break", "--yes", "sched"}).err,
                HasSubstr("the election of that name holds the lock \"election:sched\""));
    candidate.signal(SIGTERM);
    leader.signal(SIGTERM);
    leader.wait();
    EXPECT_TRUE(eventually([&] { return command({"show", "sched"}).code == 1; }));
}

TEST_F(show, names_who_runs_a_once_and_then_its_exit_code) {
    EXPECT_EQ(command({"show", "slow"}).code, 1);
    auto runner = begin({"once", "slow", "--", "sh", "-c",
                         "until test -e go; do sleep 0.1; done; "
                         "exit 3"});
    ASSERT_TRUE(eventually([&] { return command({"show", "slow"}).code == 0; }));
    EXPECT_THAT(command({"show", "slow"}).out,
                AllOf(HasSubstr("\"slow\": once\n"), HasSubstr("Run by 1\n")));
    EXPECT_EQ(json("slow", "each['kind'], each['done'], each['exit_code'], each['runner']['pid']"),
              "('once', False, None, " + std::to_string(runner.pid()) + ")\n");
    sandbox_.write("go", "");
    EXPECT_EQ(runner.wait().code, 3);
    EXPECT_EQ(command({"show", "slow"}).out, "\"slow\": once, done, exit code 3\n");
    const auto lock = command({"show", "once:slow"});
    EXPECT_EQ(lock.code, 1);
    EXPECT_THAT(lock.err,
                AllOf(HasSubstr("\"once:slow\" is free"), HasSubstr("holdfast show slow\n")));
    EXPECT_THAT(command({"show", "once:other"}).err, Not(HasSubstr("holdfast show")));
    EXPECT_EQ(json("slow", "each['done'], each['exit_code'], each['runner']"), "(True, 3, None)\n");
}

TEST_F(show, names_the_arrivals_of_a_latch_beside_a_lock_of_the_same_name) {
    EXPECT_EQ(command({"latch", "count-down", "ready", "2"}).code, 0);
    EXPECT_EQ(command({"show", "ready"}).out, "\"ready\": latch, 1 of 2 have arrived\n");
    auto job = hold_at("", "ready");
    EXPECT_EQ(json("ready", "each['kind']"), "mutex\nlatch\n");
    EXPECT_EQ(command({"latch", "count-down", "ready", "2"}).code, 0);
    EXPECT_THAT(command({"show", "ready"}).out,
                AllOf(HasSubstr("\"ready\": mutex"),
                      HasSubstr("\n\"ready\": latch, 2 of 2 have arrived: open\n")));
    EXPECT_EQ(command({"latch", "reset", "ready"}).code, 0);
    EXPECT_EQ(json("ready", "each['kind']"), "mutex\n");
}

#if HOLDFAST_WITH_REDIS

TEST_F(show, of_a_lock_needs_no_right_to_the_keys_of_elections) {
    redis_server server;
    auto job = hold_at(server.url(), "job");
    server.command(
        {"ACL", "SETUSER", "locks", "on", ">secret", "~hf:{job}*", "~hf:run", "&hf:*", "+@all"});
    const auto url = "redis://locks:secret@127.0.0.1:" + std::to_string(server.port());
    const auto end = at(url, {"show", "job"});
    EXPECT_EQ(end.code, 0) << end.err;
    EXPECT_THAT(end.out, HasSubstr("Held by 1\n"));
    EXPECT_THAT(end.err, HasSubstr("only the lock is shown: "));
}

#endif

TEST_F(show, once_forget_lets_a_failed_command_run_again) {
    EXPECT_EQ(command({"once", "slow", "--", "false"}).code, 1);
    EXPECT_EQ(command({"once", "slow", "--", "true"}).code, 1);
    EXPECT_EQ(command({"once", "--forget", "slow"}).code, 0);
    EXPECT_EQ(command({"show", "slow"}).code, 1);
    EXPECT_EQ(command({"once", "slow", "--", "true"}).code, 0);
    EXPECT_EQ(command({"once", "--forget", "never-run"}).code, 0);
    EXPECT_EQ(command({"once", "--forget", "slow", "--", "true"}).code, 64);
}

TEST_F(show, once_forget_spares_a_command_that_runs) {
    auto runner = begin({"once", "slow", "--", "sleep", "1000"});
    ASSERT_TRUE(eventually([&] { return command({"show", "slow"}).code == 0; }));
    const auto end = command({"once", "--forget", "slow"});
    EXPECT_EQ(end.code, 75);
    EXPECT_THAT(end.err, HasSubstr("\"slow\" is held by pid "));
    runner.signal(SIGTERM);
    runner.wait();
}

} // namespace

} // namespace holdfast::test
