// holdfast demo.

#include "cli/cli_fixture.hpp"
#include "support/redis_server.hpp"
#include "support/terminal.hpp"

namespace holdfast::test {

namespace {

using ::testing::HasSubstr;

class demo : public cli {};

TEST_F(demo, oversells_without_a_lock_and_is_exact_with_one) {
    const stopwatch watch;
    const auto shown = command({"demo"});
    EXPECT_EQ(shown.code, 0) << shown.err;
    EXPECT_LT(watch.elapsed(), 20s * slowness);
    EXPECT_THAT(shown.out, HasSubstr("oversold"));
    EXPECT_THAT(shown.out, HasSubstr("exact"));
    EXPECT_THAT(shown.out, HasSubstr("refused"));
    EXPECT_FALSE(has_escapes(shown.out)) << shown.out;
    EXPECT_EQ(shown.err, "");
    EXPECT_EQ(sandbox_.left_over(), "");
}

TEST_F(demo, shows_a_bar_on_a_terminal) {
    HOLDFAST_NEEDS_TERMINAL();
    terminal screen{sandbox_, holdfast_words({"demo"})};
    EXPECT_TRUE(screen.shows("####")) << screen.screen();
    EXPECT_TRUE(screen.shows("exact", long_wait * 2)) << screen.screen();
}

TEST_F(demo, fails_if_the_engine_of_the_url_cannot_be_used) {
    EXPECT_NE(command({"demo", "--url", "embedded:/proc/x"}).code, 0);
    EXPECT_EQ(command({"demo", "--url", "nonsense"}).code, 64);
    EXPECT_EQ(command({"demo"}, {.variables = {{"HOLDFAST_URL", "nonsense"}}}).code, 64);
}

#if HOLDFAST_WITH_REDIS

TEST_F(demo, on_a_server_prints_what_it_waits_for_and_does_not_disturb_another_demo) {
    redis_server server;
    const start_options on_server{.variables = {{"HOLDFAST_URL", server.url()}}};
    auto other = sandbox_.start(holdfast_words({"demo"}), on_server);
    const stopwatch watch;
    const auto shown = command({"demo"}, on_server);
    EXPECT_EQ(shown.code, 0) << shown.err << shown.out;
    EXPECT_LT(watch.elapsed(), 20s * slowness);
    EXPECT_THAT(shown.out, HasSubstr("lease of 2 s"));
    EXPECT_EQ(other.wait().code, 0);
}

#endif

} // namespace

} // namespace holdfast::test
