// holdfast top: in a pseudo-terminal, and piped.

#include "cli/operator_fixture.hpp"
#include "support/redis_server.hpp"
#include "support/terminal.hpp"

#include <csignal>

namespace holdfast::test {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* enter_screen = "\033[?1049h";
constexpr const char* leave_screen = "\033[?1049l";

class top : public operator_commands {
protected:
    /// A shell in the terminal whose settings are in the file `before`.
    void start_shell() {
        screen.start(sandbox_, {"bash", "--norc", "--noprofile", "-i"});
        screen.enter("stty -a > before; top() { '" HOLDFAST_CLI
                     "' top \"$@\"; }; echo shell $((41 + 1))");
        ASSERT_TRUE(screen.shows("shell 42"));
    }
    /// Starts `top`, and waits until it shows a lock.
    void start_top(const std::string& options, const std::string& lock) {
        const bool paced = options.find("--interval") != std::string::npos;
        screen.enter("top " + options + (paced ? "" : " --interval 50ms") +
                     "; echo code $(($? + 1000))");
        ASSERT_TRUE(screen.shows(enter_screen)) << screen.screen();
        ASSERT_TRUE(screen.shows(lock)) << screen.screen();
    }
    /// Whether the terminal's settings are what they were.
    bool is_restored() {
        screen.enter("stty -a > after; echo compared $((1 + 2))");
        EXPECT_TRUE(screen.shows("compared 3")) << screen.screen();
        return sandbox_.content("before") == sandbox_.content("after");
    }

    terminal screen;
};

TEST_F(top, q_quits_and_restores_the_terminal) {
    HOLDFAST_NEEDS_TERMINAL();
    const auto holder = hold_at("", "job-one");
    start_shell();
    start_top("", "job-one");
    screen.type("q");
    EXPECT_TRUE(screen.shows(leave_screen)) << screen.screen();
    EXPECT_TRUE(screen.shows("code 1000")) << screen.screen();
    EXPECT_TRUE(is_restored());
}

TEST_F(top, refreshes_in_place) {
    HOLDFAST_NEEDS_TERMINAL();
    const auto holder = hold_at("", "job-one");
    start_shell();
    start_top("", "job-one");
    const auto other = hold_at("", "job-two");
    EXPECT_TRUE(screen.shows("locks 2, holders 2")) << screen.screen();
    EXPECT_TRUE(screen.shows("job-two")) << screen.screen();
    screen.type("q");
    EXPECT_TRUE(screen.shows("code 1000")) << screen.screen();
    const auto text = screen.screen();
    EXPECT_EQ(text.find(enter_screen), text.rfind(enter_screen)) << "one screen";
}

TEST_F(top, keys_change_the_order) {
    HOLDFAST_NEEDS_TERMINAL();
    const auto older = hold_at("", "b-older");
    std::this_thread::sleep_for(20ms);
    const auto younger = hold_at("", "a-wanted");
    const auto waiter = start({"a-wanted", "--", "true"});
    ASSERT_TRUE(eventually([&] { return has_waiters("a-wanted", 1); }));
    start_shell();
    start_top("--interval 10s", "b-older"); // by waiters, so it is the second row
    const auto is_first = [&](const std::string& name) {
        return screen.shows("COMMAND\033[0m\033[K\r\n\033[1m" + name, 5s);
    };
    screen.type("a");
    EXPECT_TRUE(is_first("b-older")) << screen.screen();
    screen.type("n");
    EXPECT_TRUE(is_first("a-wanted")) << screen.screen();
    screen.type("a");
    EXPECT_TRUE(is_first("b-older")) << screen.screen();
    screen.type("w");
    EXPECT_TRUE(is_first("a-wanted")) << screen.screen();
    screen.type("q");
    EXPECT_TRUE(screen.shows("code 1000")) << screen.screen();
}

TEST_F(top, ctrl_c_restores_the_terminal) {
    HOLDFAST_NEEDS_TERMINAL();
    const auto holder = hold_at("", "job-one");
    start_shell();
    start_top("", "job-one");
    screen.type(ctrl_c);
    EXPECT_TRUE(screen.shows(leave_screen)) << screen.screen();
    EXPECT_TRUE(is_restored());
}

TEST_F(top, ctrl_z_restores_the_terminal_until_fg) {
    HOLDFAST_NEEDS_TERMINAL();
    const auto holder = hold_at("", "job-one");
    start_shell();
    start_top("", "job-one");
    screen.type(ctrl_z);
    EXPECT_TRUE(screen.shows(leave_screen)) << screen.screen();
    ASSERT_TRUE(screen.shows("Stopped")) << screen.screen();
    EXPECT_TRUE(is_restored());
    screen.enter("fg");
    EXPECT_TRUE(screen.shows(enter_screen)) << screen.screen();
    EXPECT_TRUE(screen.shows("job-one")) << screen.screen();
    screen.type("q");
    EXPECT_TRUE(screen.shows(leave_screen)) << screen.screen();
    EXPECT_TRUE(is_restored());
}

TEST_F(top, sigterm_restores_the_terminal) {
    HOLDFAST_NEEDS_TERMINAL();
    const auto holder = hold_at("", "job-one");
    start_shell();
    start_top("", "job-one");
    ::kill(screen.foreground(), SIGTERM);
    EXPECT_TRUE(screen.shows(leave_screen)) << screen.screen();
    EXPECT_TRUE(is_restored());
}

#if HOLDFAST_WITH_REDIS

TEST_F(top, survives_an_engine_that_hangs_and_quits_at_once) {
    HOLDFAST_NEEDS_TERMINAL();
    redis_server server;
    const auto holder = hold_at(server.url(), "job-one");
    start_shell();
    start_top("--connect-wait 200ms --url " + server.url(), "job-one");
    server.pause();
    EXPECT_TRUE(screen.shows("the last rows that are known")) << screen.screen();
    screen.type("q");
    EXPECT_TRUE(screen.shows("code 1000", 2s)) << screen.screen();
    EXPECT_TRUE(is_restored());
    server.resume();
}

TEST_F(top, of_a_layout_that_cannot_be_listed_says_so_and_restores_the_terminal) {
    HOLDFAST_NEEDS_TERMINAL();
    const redis_server server;
    start_shell();
    screen.enter("top --url '" + server.url() + "?layout=plain'; echo code $(($? + 1000))");
    EXPECT_TRUE(screen.shows(leave_screen)) << screen.screen();
    EXPECT_TRUE(screen.shows("cannot distinguish locks")) << screen.screen();
    EXPECT_TRUE(screen.shows("code 1064")) << screen.screen();
    EXPECT_TRUE(is_restored());
}

#endif

TEST_F(top, piped_prints_plain_lines) {
    const auto holder = hold_at("", "job-one");
    const auto end = command({"top", "--count", "2", "--interval", "10ms"});
    EXPECT_EQ(end.code, 0) << end.err;
    EXPECT_FALSE(has_escapes(end.out)) << end.out;
    EXPECT_THAT(end.out, AllOf(HasSubstr("locks 1, holders 1, waiters 0\nNAME"),
                               HasSubstr("job-one  exclusive"), Not(HasSubstr("[q]uit"))));
    EXPECT_NE(end.out.find("holdfast top"), end.out.rfind("holdfast top")) << "two refreshes";
}

} // namespace

} // namespace holdfast::test
