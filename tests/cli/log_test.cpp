// The lines on stderr with --log, and for journald.

#include "cli/cli_fixture.hpp"

#include <chrono>
#include <regex>
#include <sstream>

namespace holdfast::test {

namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

const std::string time_pattern = "20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]"
                                 "\\.[0-9]{3}Z";

class log_lines : public cli {
protected:
    /// jq reads each line and prints these fields; a line that is no JSON fails.
    std::string fields(const std::string& line) {
        const auto end = shell("set -o pipefail; " + line +
                               " 2>&1 >/dev/null | "
                               "jq -r '[.level, .lock // \"-\", .message] | join(\"|\")'");
        EXPECT_EQ(end.err, "");
        return end.out;
    }
};

TEST_F(log_lines, are_plain_by_default) {
    auto job = hold("x");
    EXPECT_THAT(run({"-n", "x", "--", "true"}).err, MatchesRegex("holdfast: .x. is held by .*\n"));
}

TEST_F(log_lines, have_time_and_level_as_text) {
    auto job = hold("x");
    const auto end = run({"--log", "text", "-n", "x", "--", "true"});
    EXPECT_TRUE(std::regex_match(
        end.err, std::regex{time_pattern + " warning holdfast: \"x\" is held by .*\n"}))
        << end.err;
}

TEST_F(log_lines, are_json_that_a_program_can_read) {
    auto job = hold("x\"y");
    EXPECT_THAT(fields("$holdfast run --log json -n 'x\"y' -- true"),
                testing::StartsWith("warning|x\"y|\"x\\\"y\" is held by"));
    const auto end = run({"--log=json", "-n", "x\"y", "--", "true"});
    EXPECT_THAT(end.err, testing::StartsWith("{\"time\":\"20")) << end.err;
    EXPECT_TRUE(std::regex_search(end.err, std::regex{"\"time\":\"" + time_pattern + "\""}))
        << end.err;
}

TEST_F(log_lines, are_json_for_names_and_errors_of_any_bytes) {
    EXPECT_THAT(fields("$holdfast run --log json $'a\\xff\\n' -- /no/such/command"),
                HasSubstr("error|a\xef\xbf\xbd"));
    EXPECT_THAT(fields("$holdfast run --log json --lease x y -- true"), HasSubstr("error|"));
    EXPECT_THAT(fields("$holdfast run --log json --no-such-option y -- true"),
                HasSubstr("no-such-option"))
        << "also of a wrong command line";
    EXPECT_THAT(fields("$holdfast release --log json --owner x y"), HasSubstr("error|"));
}

TEST_F(log_lines, have_events_tokens_reasons_and_exit_codes_in_json) {
    /// `event|reason|exit_code|whether there is a token` of each line.
    const auto events = [&](const std::string& line) {
        return shell(line + " 2>&1 >/dev/null | jq -r '[.event // \"-\", .reason // \"-\", "
                            ".exit_code // \"-\", has(\"token\")] | map(tostring) | join(\"|\")'")
            .out;
    };
    EXPECT_EQ(events("$holdfast run -v --log json x -- sh -c 'exit 3'"),
              "granted|-|-|true\ncommand_ended|-|3|true\nreleased|-|-|true\n");
    EXPECT_EQ(events("$holdfast run --log json --max-hold 600ms --grace 50ms x -- sleep 1000"),
              "about_to_expire|max_hold|-|true\nlost|max_hold|76|true\n");
    EXPECT_EQ(events("$holdfast run --log json x -- sh -c \"$holdfast break -y x 2>&-; sleep 9\""),
              "lost|broken|76|true\n");
    EXPECT_EQ(events("$holdfast run --log json x -- no-such-command"),
              "command_not_started|-|127|false\n");
    EXPECT_EQ(
        events("$holdfast run x -- env -u HOLDFAST_RUN $holdfast run --log json -n x -- true"),
        "busy|-|75|false\n");
    EXPECT_EQ(events("$holdfast run x -- $holdfast run --log json x -- true"),
              "failed|-|64|false\n");
}

TEST_F(log_lines, tell_several_locks_from_one_whose_name_has_a_comma) {
    const auto names = [&](const std::string& rest) {
        return shell("$holdfast run -v --log json " + rest +
                     " -- true 2>&1 >/dev/null | jq -c 'select(.event == \"granted\") | [.lock, "
                     ".locks, .locks_base64, has(\"token\"), (.tokens // [] | length)]'")
            .out;
    };
    EXPECT_EQ(names("c2 c1"), "[\"c1,c2\",[\"c1\",\"c2\"],null,false,2]\n");
    EXPECT_EQ(names("c1,c2"), "[\"c1,c2\",null,null,true,0]\n");
    EXPECT_EQ(names("a $'\\xff'"),
              "[\"a,\xef\xbf\xbd\",[\"a\",\"\xef\xbf\xbd\"],[null,\"/w==\"],false,2]\n");
}

TEST_F(log_lines, can_be_chosen_by_the_environment) {
    auto job = hold("x");
    const auto end =
        run({"-n", "x", "--", "true"}, {.variables = {{"HOLDFAST_LOG_FORMAT", "json"}}});
    EXPECT_THAT(end.err, testing::StartsWith("{\"time\":")) << end.err;
}

TEST_F(log_lines, have_no_other_format) {
    const auto end = run({"--log", "xml", "x", "--", "true"});
    EXPECT_EQ(end.code, 64);
    EXPECT_THAT(end.err, HasSubstr("xml"));
    const auto wrong = run({"x", "--", "true"}, {.variables = {{"HOLDFAST_LOG_FORMAT", "xml"}}});
    EXPECT_EQ(wrong.code, 64);
    EXPECT_THAT(wrong.err, HasSubstr("HOLDFAST_LOG_FORMAT: 'xml'"));
}

TEST_F(log_lines, of_the_command_itself_are_left_alone) {
    const auto end = run({"x", "--", "sh", "-c", "echo $0 $1 >&2", "--log", "json"});
    EXPECT_EQ(end.err, "--log json\n");
}

TEST_F(log_lines, begin_with_a_priority_if_stderr_is_the_journal) {
    auto job = hold("x");
    // Like systemd: the device and inode of the stream that is stderr.
    const std::string as_journal = "JOURNAL_STREAM=$(stat -L -c %d:%i journal) "
                                   "$holdfast run $options -n x -- true 2> journal;";
    shell("touch journal; options=; " + as_journal);
    EXPECT_THAT(sandbox_.content("journal"), MatchesRegex("<4>holdfast: .x. is held by .*\n"));
    shell("options='--log text'; " + as_journal);
    EXPECT_THAT(sandbox_.content("journal"), MatchesRegex("<4>holdfast: .x. is held by .*\n"))
        << "journald adds the time";
    shell("options='--log json'; " + as_journal);
    EXPECT_THAT(sandbox_.content("journal"), testing::StartsWith("<4>{\"time\":"));
    const auto other = run({"-n", "x", "--", "true"}, {.variables = {{"JOURNAL_STREAM", "1:2"}}});
    EXPECT_THAT(other.err, testing::StartsWith("holdfast: ")) << "stderr was redirected";
}

} // namespace

} // namespace holdfast::test
