// What goes in and out of the command under `holdfast run`.

#include "cli/cli.hpp"

#include <unistd.h>

namespace holdfast::test {

namespace {

class run_streams : public cli {};

/// All bytes, many times over.
std::string every_byte(int times) {
    std::string out;
    for (int i = 0; i < times * 256; ++i) { out += static_cast<char>(i * (i / 256 + 1)); }
    return out;
}

TEST_F(run_streams, pass_byte_for_byte) {
    const auto all = every_byte(2'000);
    const auto copied = run({"x", "--", "sh", "-c", "tee /dev/stderr"}, {.input = all});
    EXPECT_EQ(copied.code, 0);
    EXPECT_TRUE(copied.out == all) << copied.out.size() << " of " << all.size();
    EXPECT_TRUE(copied.err == all) << copied.err.size() << " of " << all.size();
}

TEST_F(run_streams, words_pass_as_they_are) {
    const words odd{"",  "[a,b]", "-n", "--",     "%%", "a b", "\"",
                    "'", "\n",    "*",  "--help", "{}", "]"};
    std::string expected;
    for (const auto& one : odd) { expected += one + "|"; }
    words dashed{"x", "--", "printf", "%s|"};
    dashed.insert(dashed.end(), odd.begin(), odd.end());
    EXPECT_EQ(run(dashed).out, expected);
    // Without dashes before the command, it may have none of its own.
    EXPECT_EQ(run({"x", "printf", "%s|", "", "[a,b]", "-n", "--help", "%%", "a,b", "]"}).out,
              "|[a,b]|-n|--help|%%|a,b|]|");
}

TEST_F(run_streams, a_reader_that_leaves_early_is_no_error) {
    const auto first = shell("$holdfast run x -- seq 1000000 | head -1");
    EXPECT_EQ(first.code, 0);
    EXPECT_EQ(first.out, "1\n");
    EXPECT_EQ(first.err, "");
    const auto help = shell("$holdfast run --help | head -1; $holdfast --help | true");
    EXPECT_EQ(help.err, "");
    EXPECT_EQ(help.code, 0);
    EXPECT_TRUE(is_free("x"));
}

TEST_F(run_streams, somebody_may_stop_listening_to_what_holdfast_says) {
    const auto holder = hold("x");
    const auto deaf = shell("exec 3>&1; { $holdfast run -v -w 500ms x -- true 2>&1 >/dev/null; "
                            "echo $? >&3; } | true");
    EXPECT_EQ(deaf.out, "75\n");
}

TEST_F(run_streams, the_end_of_the_output_is_the_end_of_the_command) {
    // The guardian has to renew a lease and release a lock, and holds no pipe open meanwhile.
    EXPECT_EQ(shell("$holdfast run x -- sh -c 'echo a; exit 3' | cat; echo ${PIPESTATUS[0]}").out,
              "a\n3\n");
}

TEST_F(run_streams, closed_ones_stay_closed) {
    const std::string look = "code=16; for f in 0 1 2; do [ -e /proc/$$/fd/$f ] || "
                             "code=$((code + (1 << f))); done; exit $code";
    for (const auto& closed : std::vector<std::vector<int>>{{}, {0}, {1}, {2}, {0, 1}, {0, 1, 2}}) {
        int expected = 16;
        for (const int each : closed) { expected += 1 << each; }
        const auto end = run({"-c", look, "x"}, {.closed = closed});
        EXPECT_EQ(end.code, expected) << ::testing::PrintToString(closed) << end.err;
        EXPECT_TRUE(is_free("x"));
    }
}

TEST_F(run_streams, other_open_files_reach_the_command) {
    EXPECT_EQ(shell("exec 7>extra; $holdfast run x -- sh -c 'echo seven >&7'; cat extra").out,
              "seven\n");
}

TEST_F(run_streams, nothing_of_holdfast_is_open_in_the_command) {
    const auto plain = shell("ls /proc/self/fd | wc -l").out;
    EXPECT_EQ(shell("$holdfast run x -- sh -c 'exec ls /proc/self/fd' | wc -l").out, plain);
}

TEST_F(run_streams, umask_folder_and_limits_are_those_of_the_caller) {
    const std::string look = "umask; pwd; ulimit -n; ulimit -c";
    EXPECT_EQ(shell("umask 037; ulimit -n 100; $holdfast run x -- sh -c '" + look + "'").out,
              shell("umask 037; ulimit -n 100; sh -c '" + look + "'").out);
}

TEST_F(run_streams, nothing_is_said_in_colours) {
    const auto holder = hold("x");
    for (const char* const term : {"xterm-256color", "dumb"}) {
        const auto outcome = run({"-v", "-n", "x", "--", "true"}, {.variables = {{"TERM", term}}});
        EXPECT_FALSE(has_escapes(outcome.out + outcome.err));
    }
}

} // namespace

} // namespace holdfast::test
