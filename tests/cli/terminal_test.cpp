// `holdfast run` in a pseudo-terminal, under a shell with job control.

#include "support/terminal.hpp"

#include "cli/cli_fixture.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace holdfast::test {

namespace {

/// By /proc: the letter after the name, which is in brackets.
bool is_stopped(long pid) {
    std::ifstream file{"/proc/" + std::to_string(pid) + "/stat"};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    const auto name_end = text.rfind(')');
    return name_end != std::string::npos && text.substr(name_end).starts_with(") T");
}

class at_a_terminal : public cli {
protected:
    void SetUp() override {
        HOLDFAST_NEEDS_TERMINAL();
        screen.start(sandbox_, {"bash", "--norc", "--noprofile", "-i"});
        // A short name to type. The echo of typed text differs from the output to look for.
        screen.enter("hf() { \"" HOLDFAST_CLI "\" run -q \"$@\"; }; n=0; echo shell $((41 + 1))");
        EXPECT_TRUE(screen.shows("shell 42"));
    }

    /// A loop that prints "tick 1", "tick 2", ... It does not fork: some shells miss a Ctrl-C that
    /// arrives while they fork.
    void start_ticking(const std::string& options = "", const std::string& rest = "") {
        screen.enter("hf " + options +
                     " x -- bash -c 'exec 9<> <(:); for i in 1 2 3 4 5 6 7 8 9; do echo tick $i; "
                     "read -t 0.2 -u 9; done; exec sleep 1000' " +
                     rest);
        ASSERT_TRUE(screen.shows("tick 2")) << screen.screen();
    }
    /// Whether the shell has the terminal and runs a command.
    bool prompt_is_back() {
        ++prompts;
        screen.enter("echo prompt $((1000 + " + std::to_string(prompts) + "))");
        return screen.shows("prompt " + std::to_string(1000 + prompts));
    }

    terminal screen;
    int prompts = 0;
};

TEST_F(at_a_terminal, ctrl_c_ends_the_command_and_the_list_it_is_in) {
    start_ticking("", "; echo after $((7 * 7))");
    screen.type(ctrl_c);
    EXPECT_TRUE(prompt_is_back()) << screen.screen();
    EXPECT_EQ(screen.screen().find("after 49"), std::string::npos)
        << "bash drops the rest of a list whose program died of Ctrl-C: " << screen.screen();
    screen.enter("echo code $?$((1))");
    EXPECT_TRUE(is_free("x"));
}

TEST_F(at_a_terminal, ctrl_c_gives_130) {
    start_ticking();
    screen.type(ctrl_c);
    screen.enter("echo code $(($? + 1000))");
    EXPECT_TRUE(screen.shows("code 1130")) << screen.screen();
}

TEST_F(at_a_terminal, ctrl_c_is_left_to_a_command_that_handles_it) {
    screen.enter(
        "hf x -- bash -c 'trap \"echo caught $((2 + 2)); exit 5\" INT; echo up $((3 + 3)); "
        "while :; do sleep 0.05; done'; echo code $(($? + 1000))");
    ASSERT_TRUE(screen.shows("up 6")) << screen.screen();
    screen.type(ctrl_c);
    EXPECT_TRUE(screen.shows("caught 4")) << screen.screen();
    EXPECT_TRUE(screen.shows("code 1005")) << screen.screen();
    EXPECT_EQ(screen.screen().find("caught 4\r\ncaught 4"), std::string::npos) << "once only";
}

TEST_F(at_a_terminal, ctrl_c_ends_the_wait) {
    const auto holder = hold("x");
    screen.enter("hf x -- true; echo after $((7 * 7))");
    ASSERT_TRUE(eventually([&] { return has_waiters("x", 1); }));
    screen.type(ctrl_c);
    EXPECT_TRUE(prompt_is_back()) << screen.screen();
    EXPECT_EQ(screen.screen().find("after 49"), std::string::npos) << screen.screen();
    EXPECT_TRUE(has_waiters("x", 0));
}

TEST_F(at_a_terminal, ctrl_c_ends_the_script_that_runs_it) {
    sandbox_.write(
        "script",
        "\"$1\" run -q x -- sh -c 'echo be''gun; exec sleep 1000'\necho next $((6 * 9))\n");
    screen.enter("bash script \"" HOLDFAST_CLI "\"");
    ASSERT_TRUE(screen.shows("begun"));
    screen.type(ctrl_c);
    EXPECT_TRUE(prompt_is_back()) << screen.screen();
    EXPECT_EQ(screen.screen().find("next 54"), std::string::npos) << screen.screen();
    EXPECT_TRUE(is_free("x"));
}

TEST_F(at_a_terminal, ctrl_c_during_the_wait_ends_the_script) {
    const auto holder = hold("x");
    sandbox_.write("script", "\"$1\" run -q x -- true\necho next $((6 * 9))\n");
    screen.enter("bash script \"" HOLDFAST_CLI "\"");
    ASSERT_TRUE(eventually([&] { return has_waiters("x", 1); }));
    screen.type(ctrl_c);
    EXPECT_TRUE(prompt_is_back()) << screen.screen();
    EXPECT_EQ(screen.screen().find("next 54"), std::string::npos) << screen.screen();
}

TEST_F(at_a_terminal, ctrl_z_stops_the_job_and_the_lock_is_kept_beyond_its_lease) {
    start_ticking("--lease 1s");
    screen.type(ctrl_z);
    EXPECT_TRUE(screen.shows("Stopped")) << screen.screen();
    EXPECT_TRUE(prompt_is_back()) << screen.screen();
    const auto stopped_at = screen.screen().find("tick 9");
    EXPECT_EQ(run({"-w", "2500ms", "-q", "x", "--", "true"}).code, 75);
    EXPECT_EQ(screen.screen().find("tick 9"), stopped_at) << "it does not run meanwhile";
    screen.enter("fg");
    EXPECT_TRUE(screen.shows("tick 9")) << screen.screen();
    screen.type(ctrl_c);
    EXPECT_TRUE(prompt_is_back()) << screen.screen();
    EXPECT_TRUE(is_free("x"));
}

TEST_F(at_a_terminal, fg_gives_the_command_the_terminal_again) {
    screen.enter(
        "hf x -- bash -c 'echo $$ > pid; echo up $((3 + 3)); read line; echo \"<${line^^}>\"'");
    ASSERT_TRUE(screen.shows("up 6"));
    screen.type(ctrl_z);
    ASSERT_TRUE(screen.shows("Stopped")) << screen.screen();
    // The shell only waits for the front. Until the reader itself stops, it would get our input.
    const auto pid = std::stol(sandbox_.content("pid"));
    ASSERT_TRUE(eventually([&] { return is_stopped(pid); }));
    ASSERT_TRUE(prompt_is_back()) << screen.screen();
    screen.enter("fg");
    ASSERT_TRUE(eventually([&] { return screen.foreground() != screen.pid(); }));
    screen.enter("typed");
    EXPECT_TRUE(screen.shows("<TYPED>")) << screen.screen();
    EXPECT_TRUE(prompt_is_back()) << screen.screen();
}

TEST_F(at_a_terminal, bg_continues_without_the_terminal) {
    start_ticking();
    screen.type(ctrl_z);
    ASSERT_TRUE(screen.shows("Stopped"));
    screen.enter("bg");
    EXPECT_TRUE(screen.shows("tick 9")) << screen.screen();
    EXPECT_TRUE(prompt_is_back()) << screen.screen();
    screen.enter("kill %1; wait; echo ended $((1 + 1))");
    EXPECT_TRUE(screen.shows("ended 2")) << screen.screen();
    EXPECT_TRUE(is_free("x"));
}

TEST_F(at_a_terminal, a_background_job_stops_when_it_reads) {
    screen.enter("hf x -- bash -c 'echo up $((3 + 3)); read line; echo \"<${line^^}>\"' &");
    ASSERT_TRUE(screen.shows("up 6"));
    ASSERT_TRUE(eventually([&] {
        screen.enter("");
        return screen.shows("Stopped", 50ms);
    })) << screen.screen();
    screen.enter("fg");
    ASSERT_TRUE(eventually([&] { return screen.foreground() != screen.pid(); }));
    screen.enter("typed");
    EXPECT_TRUE(screen.shows("<TYPED>")) << screen.screen();
}

TEST_F(at_a_terminal, the_command_reads_what_is_typed) {
    screen.enter("hf x -- bash -c 'read -p \"name$((1))? \" line; echo \"<${line^^}>\"'");
    ASSERT_TRUE(screen.shows("name1?"));
    screen.enter("ann");
    EXPECT_TRUE(screen.shows("<ANN>")) << screen.screen();
    EXPECT_TRUE(prompt_is_back());
}

TEST_F(at_a_terminal, other_commands_of_a_pipeline_can_use_the_terminal) {
    // As a pager does.
    screen.enter("hf x -- sh -c 'echo data; sleep 1' | bash -c 'read a; echo page $((1 + 1)); "
                 "read b < /dev/tty; echo \"<$a ${b^^}>\"'");
    ASSERT_TRUE(screen.shows("page 2"));
    screen.enter("key");
    EXPECT_TRUE(screen.shows("<data KEY>")) << screen.screen();
    EXPECT_TRUE(prompt_is_back()) << screen.screen();
}

TEST_F(at_a_terminal, ctrl_c_and_ctrl_z_reach_the_whole_pipeline) {
    screen.enter(
        "hf x -- sh -c 'echo data; exec sleep 1000' | (read a; echo \"<$a$((1 + 1))>\"; cat); "
        "echo after $((7 * 7))");
    ASSERT_TRUE(screen.shows("<data2>"));
    screen.type(ctrl_z);
    ASSERT_TRUE(screen.shows("Stopped")) << screen.screen();
    ASSERT_TRUE(prompt_is_back());
    screen.enter("fg");
    ASSERT_TRUE(eventually([&] { return screen.foreground() != screen.pid(); }));
    screen.type(ctrl_c);
    EXPECT_TRUE(prompt_is_back()) << screen.screen();
    EXPECT_TRUE(is_free("x"));
}

TEST_F(at_a_terminal, an_interactive_shell_can_be_the_command) {
    screen.enter("hf x -- bash --norc -i");
    screen.enter("echo inner $((5 * 5)) $HOLDFAST_NAME");
    ASSERT_TRUE(screen.shows("inner 25 x")) << screen.screen();
    screen.enter("sleep 1000");
    std::this_thread::sleep_for(300ms);
    screen.type(ctrl_c);
    screen.enter("echo again $((5 * 6)) $HOLDFAST_NAME");
    ASSERT_TRUE(screen.shows("again 30 x")) << screen.screen();
    screen.enter("exit 3");
    screen.enter("echo outer $(($? + 1000))$HOLDFAST_NAME");
    EXPECT_TRUE(screen.shows("outer 1003")) << screen.screen();
    EXPECT_TRUE(is_free("x"));
}

TEST_F(at_a_terminal, a_lost_lock_gives_the_terminal_back) {
    screen.enter("hf --max-hold 1500ms x -- bash --norc -i");
    screen.enter("echo inner $((5 * 5))");
    ASSERT_TRUE(screen.shows("inner 25")) << screen.screen();
    ASSERT_TRUE(eventually([&] { return is_free("x"); }));
    EXPECT_TRUE(prompt_is_back()) << screen.screen();
    screen.enter("echo code $(($? + 1000))$HOLDFAST_NAME");
    EXPECT_TRUE(screen.shows("code 1000")) << screen.screen();
}

TEST_F(at_a_terminal, a_lost_lock_gives_the_terminal_back_to_a_script) {
    // An interactive shell becomes the foreground group; a killed one cannot undo that.
    sandbox_.write("script", "\"$1\" run -q --max-hold 1500ms --grace 10ms x -- bash --norc -i\n"
                             "echo code $(($? + 1000))\nread line\necho \"<${line^^}>\"\n");
    screen.enter("bash script \"" HOLDFAST_CLI "\"");
    ASSERT_TRUE(screen.shows("code 1076")) << screen.screen();
    screen.enter("typed");
    EXPECT_TRUE(screen.shows("<TYPED>")) << screen.screen();
    EXPECT_TRUE(prompt_is_back()) << screen.screen();
}

TEST_F(at_a_terminal, a_killed_guardian_gives_the_terminal_back_to_a_script) {
    sandbox_.write("script", "\"$1\" run -q x -- bash --norc -i\n"
                             "echo code $(($? + 1000))\nread line\necho \"<${line^^}>\"\n");
    screen.enter("bash script \"" HOLDFAST_CLI "\"");
    screen.enter("echo inner $((5 * 5))");
    ASSERT_TRUE(screen.shows("inner 25")) << screen.screen();
    for (const auto& process : sandbox_.processes()) {
        if (process.name == "hf-guardian") { ::kill(process.pid, SIGKILL); }
    }
    ASSERT_TRUE(screen.shows("code 1076")) << screen.screen();
    screen.enter("typed");
    EXPECT_TRUE(screen.shows("<TYPED>")) << screen.screen();
}

TEST_F(at_a_terminal, a_job_that_was_stopped_during_its_wait_starts_after_fg) {
    auto holder = hold("x");
    screen.enter("hf x -- sh -c 'echo be''gun'");
    ASSERT_TRUE(eventually([&] { return has_waiters("x", 1); }));
    screen.type(ctrl_z);
    ASSERT_TRUE(screen.shows("Stopped")) << screen.screen();
    holder.signal(SIGTERM);
    EXPECT_TRUE(prompt_is_back());
    EXPECT_FALSE(screen.shows("begun", 300ms));
    screen.enter("fg");
    EXPECT_TRUE(screen.shows("begun")) << screen.screen();
    EXPECT_TRUE(prompt_is_back());
    EXPECT_TRUE(is_free("x"));
}

TEST_F(at_a_terminal, a_command_that_stops_itself_stops_the_job) {
    screen.enter("hf x -- sh -c 'kill -STOP $$; echo went o''n'");
    ASSERT_TRUE(screen.shows("Stopped")) << screen.screen();
    ASSERT_TRUE(prompt_is_back());
    screen.enter("fg");
    EXPECT_TRUE(screen.shows("went on")) << screen.screen();
    EXPECT_TRUE(prompt_is_back());
}

TEST_F(at_a_terminal, a_killed_guardian_gives_the_terminal_back) {
    start_ticking();
    for (const auto& process : sandbox_.processes()) {
        if (process.name == "hf-guardian") { ::kill(process.pid, SIGKILL); }
    }
    screen.enter("echo code $(($? + 1000))");
    EXPECT_TRUE(screen.shows("code 1076")) << screen.screen();
}

TEST_F(at_a_terminal, a_hang_up_ends_the_command) {
    start_ticking();
    screen.hang_up();
    EXPECT_EQ(sandbox_.left_over(), "");
    EXPECT_TRUE(is_free("x"));
}

class without_a_terminal : public cli {};

TEST_F(without_a_terminal, its_tests_are_skipped_with_one_line) {
    const auto hide_pts = [&](const std::string& command) {
        return shell("unshare -m sh -c 'mount -t tmpfs none /dev/pts && " + command + "'");
    };
    if (hide_pts("true").code != 0) { GTEST_SKIP() << "/dev/pts cannot be hidden here"; }
    const auto tests = std::filesystem::read_symlink("/proc/self/exe").string();
    const auto end = hide_pts("exec " + tests + " --gtest_filter=at_a_terminal.ctrl_c_gives_130");
    EXPECT_EQ(end.code, 0) << end.out;
    EXPECT_THAT(end.out, ::testing::HasSubstr("[  SKIPPED ] at_a_terminal"));
    EXPECT_THAT(end.out, ::testing::ContainsRegex("\nno pseudo-terminal is available: [^\n]+\n"));
}

} // namespace

} // namespace holdfast::test
