// holdfast break: asks, refuses without a terminal, and names what it breaks.

#include "cli/operator_fixture.hpp"
#include "support/terminal.hpp"

#include <csignal>

namespace holdfast::test {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class break_command : public operator_commands {};

TEST_F(break_command, refuses_without_a_terminal_and_without_yes) {
    auto holder = hold_at("", "job");
    const auto end = command({"break", "job"});
    EXPECT_EQ(end.code, 64);
    EXPECT_THAT(end.err, AllOf(HasSubstr("--yes"), HasSubstr("pid ")));
    EXPECT_FALSE(holder.has_ended());
}

TEST_F(break_command, of_a_free_lock_does_nothing) {
    const auto end = command({"break", "--yes", "job"});
    EXPECT_EQ(end.code, 1);
    EXPECT_THAT(end.err, HasSubstr("\"job\" is not held"));
}

TEST_F(break_command, names_the_holder_and_its_successor) {
    auto holder = hold_at("", "job", {"--note", "old"});
    const auto token = token_at("", "job");
    auto waiter = start({"--note", "new", "job", "--", "sleep", "1000"});
    ASSERT_TRUE(eventually([&] { return has_waiters("job", 1); }));
    const auto end = command({"break", "-y", "job"});
    EXPECT_EQ(end.code, 0) << end.err;
    EXPECT_THAT(end.err, AllOf(HasSubstr("(old), token " + std::to_string(token)),
                               HasSubstr("\"job\": the hold of pid "),
                               HasSubstr(" is broken; now held by pid "), HasSubstr("(new)")));
    EXPECT_EQ(holder.wait().code, 76);
    EXPECT_GT(token_at("", "job"), token);
}

TEST_F(break_command, with_a_token_ends_only_that_permit) {
    auto first = hold_at("", "encoder", {"--limit", "2"});
    const auto token = token_at("", "encoder");
    auto second = hold_at("", "encoder", {"--limit", "2"});
    const auto broken = std::to_string(guardian_of(first.pid()));
    const auto other = std::to_string(guardian_of(second.pid()));
    const auto end = command({"break", "--yes", "--token", std::to_string(token), "encoder"});
    EXPECT_EQ(end.code, 0);
    EXPECT_THAT(end.err, ::testing::ContainsRegex("the hold of pid " + broken +
                                                  " on .* is broken; "
                                                  "now held by pid " +
                                                  other + " on "));
    EXPECT_EQ(first.wait().code, 76);
    EXPECT_FALSE(second.has_ended());
    for (const std::string wrong : {"0", "-1", "x"}) {
        EXPECT_EQ(command({"break", "--yes", "--token", wrong, "encoder"}).code, 64) << wrong;
    }
    EXPECT_FALSE(second.has_ended());
}

TEST_F(break_command, asks_on_a_terminal) {
    HOLDFAST_NEEDS_TERMINAL();
    auto holder = hold_at("", "job");
    terminal screen{sandbox_, {"bash", "--norc", "--noprofile", "-i"}};
    screen.enter("'" HOLDFAST_CLI "' break job; echo code $(($? + 1000))");
    ASSERT_TRUE(screen.shows("[y/N]")) << screen.screen();
    screen.enter("n");
    EXPECT_TRUE(screen.shows("code 1001")) << screen.screen();
    EXPECT_FALSE(holder.has_ended());
    screen.enter("'" HOLDFAST_CLI "' break job; echo code $(($? + 1000))");
    ASSERT_TRUE(screen.shows("[y/N]")) << screen.screen();
    screen.enter("y");
    EXPECT_TRUE(screen.shows("code 1000")) << screen.screen();
    EXPECT_EQ(holder.wait().code, 76);
}

TEST_F(break_command, spares_a_hold_that_began_after_the_question) {
    HOLDFAST_NEEDS_TERMINAL();
    auto holder = hold_at("", "job");
    terminal screen{sandbox_, {"bash", "--norc", "--noprofile", "-i"}};
    screen.enter("'" HOLDFAST_CLI "' break job; echo code $(($? + 1000))");
    ASSERT_TRUE(screen.shows("[y/N]")) << screen.screen();
    holder.signal(SIGTERM);
    EXPECT_EQ(holder.wait().code, 143);
    auto next = hold_at("", "job");
    screen.enter("y");
    EXPECT_TRUE(screen.shows("code 1001")) << screen.screen();
    EXPECT_FALSE(next.has_ended()) << "the user confirmed the end of another hold";
}

} // namespace

} // namespace holdfast::test
