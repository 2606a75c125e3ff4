// The command on a master that sentinels watch.

#include "cli/cli_fixture.hpp"
#include "support/sentinel_group.hpp"

#if HOLDFAST_WITH_REDIS

namespace holdfast::test {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class cli_sentinel : public cli {
protected:
    sentinel_group group{{.replicas = 0, .sentinels = 2, .sentinel_password = "watch-word"}};
};

TEST_F(cli_sentinel, runs_a_command_under_a_lock) {
    const auto end = run({"--url", group.url("?sentinel_password=watch-word"), "job", "--", "sh",
                          "-c", "echo token:$HOLDFAST_TOKEN"});
    EXPECT_EQ(end.code, 0) << end.err;
    EXPECT_THAT(end.out, testing::ContainsRegex("token:[0-9]+"));
    EXPECT_THAT(end.err,
                AllOf(HasSubstr("can see a password in --url"), Not(HasSubstr("watch-word"))));
}

TEST_F(cli_sentinel, says_which_sentinel_refused_it) {
    const auto end = run({"-n", "--url", group.url(), "job", "--", "true"});
    EXPECT_EQ(end.code, 69);
    EXPECT_THAT(end.err, AllOf(HasSubstr("Sentinel at 127.0.0.1:" +
                                         std::to_string(group.sentinels[1].port())),
                               HasSubstr("sentinel_password")));
}

} // namespace

} // namespace holdfast::test

#endif
