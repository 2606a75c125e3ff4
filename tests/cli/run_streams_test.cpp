// The streams, arguments and limits of the command under `holdfast run`.

#include "cli/cli_fixture.hpp"

#include <unistd.h>

namespace holdfast::test {

namespace {

class run_streams : public cli {};

/// All byte values, in different orders.
std::string every_byte(int times) {
    std::string out;
    for (int i = 0; i < times * 256; ++i) { out += static_cast<char>(i * (i / 256 + 1)); }
    return out;
}

TEST_F(run_streams, are_passed_byte_for_byte) {
    const auto all = every_byte(2'000);
    const auto copied = run({"x", "--", "sh", "-c", "tee /dev/stderr"}, {.input = all});
    EXPECT_EQ(copied.code, 0);
    EXPECT_TRUE(copied.out == all) << copied.out.size() << " of " << all.size();
    EXPECT_TRUE(copied.err == all) << copied.err.size() << " of " << all.size();
}

TEST_F(run_streams, arguments_are_passed_unchanged) {
    const words odd{"",  "[a,b]", "-n", "--",     "%%", "a b", "\"",
                    "'", "\n",    "*",  "--help", "{}", "]"};
    std::string expected;
    for (const auto& word : odd) { expected += word + "|"; }
    words dashed{"x", "--", "printf", "%s|"};
    dashed.insert(dashed.end(), odd.begin(), odd.end());
    EXPECT_EQ(run(dashed).out, expected);
    // Without `--` before the command, its arguments must not contain `--`.
    EXPECT_EQ(run({"x", "printf", "%s|", "", "[a,b]", "-n", "--help", "%%", "a,b", "]"}).out,
              "|[a,b]|-n|--help|%%|a,b|]|");
}

TEST_F(run_streams, a_reader_that_closes_its_pipe_is_no_error) {
    const auto first = shell("$holdfast run x -- seq 1000000 | head -1");
    EXPECT_EQ(first.code, 0);
    EXPECT_EQ(first.out, "1\n");
    EXPECT_EQ(first.err, "");
    const auto help = shell("$holdfast run --help | head -1; $holdfast --help | true");
    EXPECT_EQ(help.err, "");
    EXPECT_EQ(help.code, 0);
    EXPECT_TRUE(is_free("x"));
}

TEST_F(run_streams, a_closed_stderr_pipe_does_not_change_the_exit_code) {
    const auto holder = hold("x");
    const auto end = shell("exec 3>&1; { $holdfast run -v -w 500ms x -- true 2>&1 >/dev/null; "
                           "echo $? >&3; } | true");
    EXPECT_EQ(end.out, "75\n");
}

TEST_F(run_streams, the_output_ends_with_the_command) {
    // The guardian still has to release the lock, and keeps no pipe open meanwhile.
    EXPECT_EQ(shell("$holdfast run x -- sh -c 'echo a; exit 3' | cat; echo ${PIPESTATUS[0]}").out,
              "a\n3\n");
}

TEST_F(run_streams, that_are_closed_stay_closed) {
    const std::string probe = "code=16; for f in 0 1 2; do [ -e /proc/$$/fd/$f ] || "
                              "code=$((code + (1 << f))); done; exit $code";
    for (const auto& closed : std::vector<std::vector<int>>{{}, {0}, {1}, {2}, {0, 1}, {0, 1, 2}}) {
        int expected = 16;
        for (const int descriptor : closed) { expected += 1 << descriptor; }
        const auto end = run({"-c", probe, "x"}, {.closed = closed});
        EXPECT_EQ(end.code, expected) << ::testing::PrintToString(closed) << end.err;
        EXPECT_TRUE(is_free("x"));
    }
}

TEST_F(run_streams, other_open_files_reach_the_command) {
    EXPECT_EQ(shell("exec 7>extra; $holdfast run x -- sh -c 'echo seven >&7'; cat extra").out,
              "seven\n");
}

TEST_F(run_streams, no_descriptor_of_holdfast_is_open_in_the_command) {
    const auto plain = shell("ls /proc/self/fd | wc -l").out;
    EXPECT_EQ(shell("$holdfast run x -- sh -c 'exec ls /proc/self/fd' | wc -l").out, plain);
}

TEST_F(run_streams, umask_folder_and_limits_are_inherited) {
    const std::string probe = "umask; pwd; ulimit -n; ulimit -c";
    EXPECT_EQ(shell("umask 037; ulimit -n 100; $holdfast run x -- sh -c '" + probe + "'").out,
              shell("umask 037; ulimit -n 100; sh -c '" + probe + "'").out);
}

TEST_F(run_streams, messages_have_no_colours) {
    const auto holder = hold("x");
    for (const char* const term : {"xterm-256color", "dumb"}) {
        const auto end = run({"-v", "-n", "x", "--", "true"}, {.variables = {{"TERM", term}}});
        EXPECT_FALSE(has_escapes(end.out + end.err));
    }
}

} // namespace

} // namespace holdfast::test
