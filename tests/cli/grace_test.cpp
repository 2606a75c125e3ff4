// While the server grants nothing (max_lease, lost data) the command says so, and does not blame
// another holder.

#include "cli/operator_fixture.hpp"

#if HOLDFAST_WITH_REDIS

#    include "support/redis_server.hpp"

namespace holdfast::test {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string reason = "it grants nothing new for ";

class grace_period : public operator_commands {
protected:
    [[nodiscard]] std::string url() const { return server_.url() + "?max_lease=60s"; }
    redis_server server_; ///< fresh: it may have lost what it granted
};

TEST_F(grace_period, is_named_by_every_command_that_waits_for_a_lock_and_none_is_busy) {
    for (const words& line : std::vector<words>{
             {"run", "-n", "q", "--", "true"},
             {"run", "-w", "100ms", "q", "--", "true"},
             {"run", "-q", "-w", "100ms", "q", "--", "true"},
             {"run", "-w", "100ms", "--limit", "2", "s", "--", "true"},
             {"run", "-w", "100ms", "q", "r", "--", "true"},
             {"acquire", "-w", "100ms", "q"},
             {"once", "-w", "100ms", "q", "--", "true"},
         }) {
        const auto end = at(url(), line);
        EXPECT_EQ(end.code, 69) << end.err;
        EXPECT_THAT(end.err, AllOf(HasSubstr(reason), Not(HasSubstr("held by"))));
    }
}

TEST_F(grace_period, is_named_once_in_a_wait_of_more_than_a_second) {
    const auto short_leases = server_.url() + "?max_lease=20s"; // below the default
    for (const words& line : std::vector<words>{{"run", "--lease", "10s", "q", "--", "true"},
                                                {"once", "--lease", "10s", "q", "--", "true"},
                                                {"elect", "q", "--", "true"}}) {
        auto job = start_at(short_leases, line);
        EXPECT_TRUE(eventually([&] { return job.err().find(reason) != std::string::npos; }))
            << job.err();
        EXPECT_THAT(job.err(), AllOf(HasSubstr("waiting for "), HasSubstr("not held: Redis at ")));
        job.signal(SIGTERM);
        EXPECT_EQ(job.wait().code, 143);
    }
}

TEST_F(grace_period, is_named_by_verbose_waits_and_not_by_quiet_ones) {
    const auto verbose = at(url(), {"run", "-v", "-w", "500ms", "q", "--", "true"});
    EXPECT_THAT(verbose.err, HasSubstr("not held: Redis at "));
    auto quiet = start_at(url(), {"run", "-q", "q", "--", "true"});
    std::this_thread::sleep_for(1500ms);
    EXPECT_EQ(quiet.err(), "");
    quiet.signal(SIGTERM);
    EXPECT_EQ(quiet.wait().code, 143);
}

TEST_F(grace_period, is_no_excuse_while_somebody_holds_the_lock) {
    auto holder = hold_at(server_.url(), "q");
    const auto end = at(server_.url(), {"run", "-w", "100ms", "q", "--", "true"});
    EXPECT_EQ(end.code, 75);
    const auto once = start_at(server_.url(), {"once", "slow", "--", "sleep", "1000"});
    ASSERT_TRUE(eventually([&] { return token_at(server_.url(), "once:slow") != 0; }));
    const auto busy = at(server_.url(), {"once", "-w", "100ms", "slow", "--", "true"});
    EXPECT_EQ(busy.code, 75);
    EXPECT_THAT(busy.err, HasSubstr("\"slow\" is held by pid "));
}

} // namespace

} // namespace holdfast::test

#endif
