// The exit codes of `holdfast run`.

#include "cli/cli_fixture.hpp"

namespace holdfast::test {

namespace {

using ::testing::HasSubstr;

class run_exit : public cli {};

TEST_F(run_exit, is_that_of_the_command) {
    EXPECT_EQ(run({"x", "--", "true"}).code, 0);
    EXPECT_EQ(run({"x", "--", "false"}).code, 1);
    EXPECT_EQ(run({"x", "--", "sh", "-c", "exit 255"}).code, 255);
    EXPECT_EQ(run({"x", "sh", "-c", "exit 7"}).code, 7) << "without the dashes";
    EXPECT_EQ(run({"-c", "exit 9", "x"}).code, 9);
}

TEST_F(run_exit, is_128_plus_the_signal_that_ended_the_command) {
    EXPECT_EQ(run({"x", "--", "sh", "-c", "kill -9 $$"}).code, 137);
    EXPECT_EQ(run({"x", "--", "sh", "-c", "kill -TERM $$"}).code, 143);
    EXPECT_EQ(run({"x", "--", "sh", "-c", "kill -INT $$"}).code, 130);
}

TEST_F(run_exit, is_126_or_127_if_the_command_cannot_be_started) {
    const auto missing = run({"x", "--", "no-such-command"});
    EXPECT_EQ(missing.code, 127);
    EXPECT_THAT(missing.err, HasSubstr("no-such-command"));
    sandbox_.write("plain", "not a program\n");
    const auto plain = run({"x", "--", "./plain"});
    EXPECT_EQ(plain.code, 126);
    EXPECT_THAT(plain.err, HasSubstr("./plain"));
    EXPECT_EQ(run({"x", "--", "/tmp"}).code, 126);
    EXPECT_TRUE(is_free("x")) << "a command that never started leaves no lock";
}

TEST_F(run_exit, is_75_if_someone_else_holds_the_lock_and_can_be_changed) {
    const auto holder = hold("x");
    const auto busy = run({"-n", "x", "--", "true"});
    EXPECT_EQ(busy.code, 75);
    EXPECT_THAT(busy.err, HasSubstr("x"));
    EXPECT_EQ(run({"-n", "-E", "0", "x", "--", "true"}).code, 0);
    EXPECT_EQ(run({"--no-wait", "--busy-code", "200", "x", "--", "true"}).code, 200);
    EXPECT_EQ(run({"-n", "other", "--", "true"}).code, 0);
}

TEST_F(run_exit, is_75_after_the_wait) {
    const auto holder = hold("x");
    const stopwatch watch;
    EXPECT_EQ(run({"-w", "700ms", "x", "--", "true"}).code, 75);
    EXPECT_GE(watch.elapsed(), 700ms);
    EXPECT_LT(watch.elapsed(), 700ms + long_wait);
    EXPECT_TRUE(has_waiters("x", 0));
}

TEST_F(run_exit, is_69_if_the_engine_cannot_be_used) {
    const auto failed = run({"--url", "embedded:/proc/x", "x", "--", "true"});
    EXPECT_EQ(failed.code, 69);
    EXPECT_THAT(failed.err, HasSubstr("/proc/x"));
}

TEST_F(run_exit, is_76_if_the_lock_is_lost) {
    const auto ended = run({"--lease", "2s", "--max-hold", "1s", "x", "--", "sleep", "100"});
    EXPECT_EQ(ended.code, 76);
    // On a machine that is busy for a second the lease may end first.
    EXPECT_THAT(ended.err, ::testing::AnyOf(HasSubstr("ended: --max-hold is over"),
                                            HasSubstr("the lock was lost")));
    EXPECT_EQ(sandbox_.left_over(), "");
}

struct wrong_line {
    words line;
    std::string names; ///< what the message must name
};

TEST_F(run_exit, is_64_for_wrong_usage_and_the_message_names_the_option) {
    const std::vector<wrong_line> all{
        {{}, "NAME"},
        {{"x"}, "command"},
        {{"x", "--"}, "command"},
        {{"--no-such", "x", "--", "true"}, "--no-such"},
        {{"-w", "soon", "x", "--", "true"}, "--wait"},
        {{"-w", "-1s", "x", "--", "true"}, "--wait"},
        {{"--lease", "1 fortnight", "x", "--", "true"}, "--lease"},
        {{"--lease", "1ms", "x", "--", "true"}, "lease"},
        {{"--grace", "x", "x", "--", "true"}, "--grace"},
        {{"--lease", "3s", "--grace", "1s", "x", "--", "true"}, "--grace"},
        {{"--max-hold", "?", "x", "--", "true"}, "--max-hold"},
        {{"--max-hold", "0", "x", "--", "true"}, "--max-hold"},
        {{"--lease", "0s", "x", "--", "true"}, "--lease"},
        {{"--limit", "0", "x", "--", "true"}, "--limit"},
        {{"--limit", "0x0", "x", "--", "true"}, "--limit"},
        {{"--limit", "2", "--permits", "0", "x", "--", "true"}, "--permits"},
        {{"-n", "-w", "1s", "x", "--", "true"}, "--wait"},
        {{"-q", "-v", "x", "--", "true"}, "--quiet"},
        {{"--shared", "--limit", "2", "x", "--", "true"}, "--limit"},
        {{"--permits", "2", "x", "--", "true"}, "--permits"},
        {{"--limit", "2", "--permits", "3", "x", "--", "true"}, "permits"},
        {{"-E", "256", "x", "--", "true"}, "--busy-code"},
        {{"-c", "true", "x", "--", "true"}, "-c"},
        {{"x", "-c", "true"}, "options go before NAME"},
        {{"x", "--lease", "1m", "true"}, "options go before NAME"},
        {{"--url", "nonsense", "x", "--", "true"}, "URL"},
        {{"--url", "memory:", "--url-file", "f", "x", "--", "true"}, "--url"},
        {{"--url-file", "/no/such/file", "x", "--", "true"}, "--url-file"},
        {{"", "--", "true"}, "NAME"},
        {{std::string(513, 'n'), "--", "true"}, "name"},
        {{"--note", std::string(257, 'n'), "x", "--", "true"}, "note"},
    };
    for (const auto& [line, names] : all) {
        const auto wrong = run(line);
        EXPECT_EQ(wrong.code, 64) << ::testing::PrintToString(line) << wrong.err;
        EXPECT_THAT(wrong.err, HasSubstr(names)) << ::testing::PrintToString(line);
        EXPECT_EQ(wrong.out, "");
    }
}

TEST_F(run_exit, is_64_for_empty_values) {
    for (const std::string option :
         {"--wait", "--lease", "--min-hold", "--max-hold", "--grace", "--limit", "--note",
          "--busy-code", "--command", "--url", "--url-file"}) {
        const auto wrong = run({option, "", "x", "--", "true"});
        EXPECT_EQ(wrong.code, 64) << option;
        EXPECT_THAT(wrong.err, HasSubstr(option));
    }
    EXPECT_EQ(run({"--limit", "2", "--permits", "", "x", "--", "true"}).code, 64);
    const start_options known{.variables = {{"HOLDFAST_NAME", "x"}, {"HOLDFAST_OWNER", "y"}}};
    for (const auto& line : std::vector<words>{{"renew", "--lease", ""},
                                               {"renew", "--owner", ""},
                                               {"release", "--url", ""},
                                               {"release", ""},
                                               {"acquire", "x", "--lease", ""},
                                               {"demo", "--url", ""}}) {
        EXPECT_EQ(command(line, known).code, 64) << ::testing::PrintToString(line);
    }
}

TEST_F(run_exit, is_64_for_wrong_variables) {
    for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
             {"HOLDFAST_LEASE", "long"}, {"HOLDFAST_LOG", "loud"}, {"HOLDFAST_URL", "ftp://x"}}) {
        const auto wrong = run({"x", "--", "true"}, {.variables = {{name, value}}});
        EXPECT_EQ(wrong.code, 64) << name;
        EXPECT_THAT(wrong.err, HasSubstr(name == "HOLDFAST_URL" ? "ftp" : name));
    }
}

TEST_F(run_exit, is_0_for_help_and_version) {
    for (const auto& line : std::vector<words>{{"--help"},
                                               {"run", "--help"},
                                               {"acquire", "--help"},
                                               {"renew", "--help"},
                                               {"release", "--help"},
                                               {"demo", "--help"}}) {
        const auto help = command(line);
        EXPECT_EQ(help.code, 0);
        EXPECT_THAT(help.out, HasSubstr("holdfast"));
        EXPECT_EQ(help.err, "");
        EXPECT_FALSE(has_escapes(help.out));
    }
    const auto version = command({"--version"});
    EXPECT_EQ(version.code, 0);
    EXPECT_THAT(version.out, ::testing::StartsWith("holdfast "));
    EXPECT_EQ(command({}).code, 64);
    EXPECT_EQ(command({"no-such-subcommand"}).code, 64);
}

} // namespace

} // namespace holdfast::test
