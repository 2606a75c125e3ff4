// What the options of `holdfast run` do.

#include "cli/cli_fixture.hpp"

namespace holdfast::test {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class run_options : public cli {};

TEST_F(run_options, wait_runs_the_command_as_soon_as_the_lock_is_free) {
    auto holder = start({"x", "--", "sh", "-c", "echo held; sleep 0.5; echo first >> order"});
    ASSERT_TRUE(eventually([&] { return holder.out() == "held\n"; }));
    EXPECT_EQ(run({"-w", "1m", "x", "--", "sh", "-c", "echo second >> order"}).code, 0);
    EXPECT_EQ(holder.wait().code, 0);
    EXPECT_EQ(sandbox_.content("order"), "first\nsecond\n");
}

TEST_F(run_options, the_command_gets_name_token_and_owner) {
    const std::string print = "echo \"$HOLDFAST_NAME\" $HOLDFAST_TOKEN $HOLDFAST_OWNER";
    const auto first = run({"-c", print, "my job"}, {.variables = {{"HOLDFAST_TOKEN", "7"}}});
    EXPECT_THAT(first.out, ::testing::MatchesRegex("my job [0-9]+ [0-9a-f-]{36}:[0-9]+\n"));
    const auto second = run({"-c", print, "my job"});
    const auto token = [](const command_result& result) {
        return std::stoull(result.out.substr(7));
    };
    EXPECT_GT(token(second), token(first));
}

TEST_F(run_options, url_file_may_end_in_blanks_and_errors_name_it) {
    const auto elsewhere = "embedded:" + sandbox_.file("other").string();
    sandbox_.write("url", elsewhere + " \r\n");
    EXPECT_EQ(run({"-nq", "--url-file", "url", "x", "--", "true"}).code, 0);
    sandbox_.write("nothing", " \n");
    for (const auto& [path, text] :
         std::vector<std::pair<std::string, std::string>>{{"missing", "No such file"},
                                                          {"/", "directory"},
                                                          {"nothing", "its first line is empty"}}) {
        const auto end = run({"--url-file", path, "x", "--", "true"});
        EXPECT_EQ(end.code, 64) << path;
        EXPECT_THAT(end.err, ::testing::AllOf(::testing::HasSubstr("--url-file " + path + ":"),
                                              ::testing::HasSubstr(text)));
    }
}

TEST_F(run_options, url_selects_the_engine_and_overrides_the_variable) {
    const auto holder = hold("x");
    const auto elsewhere = "embedded:" + sandbox_.file("other").string();
    EXPECT_EQ(run({"-nq", "x", "--", "true"}).code, 75);
    EXPECT_EQ(run({"-nq", "--url", elsewhere, "x", "--", "true"}).code, 0);
    sandbox_.write("url", elsewhere + "\nsecond line\n");
    EXPECT_EQ(run({"-nq", "--url-file", "url", "x", "--", "true"}).code, 0);
    EXPECT_EQ(run({"-nq", "x", "--", "true"}, {.variables = {{"HOLDFAST_URL", elsewhere}}}).code,
              0);
    EXPECT_EQ(run({"-nq", "--url", sandbox_.url(), "x", "--", "true"},
                  {.variables = {{"HOLDFAST_URL", elsewhere}}})
                  .code,
              75);
}

TEST_F(run_options, an_empty_HOLDFAST_URL_is_refused) { // it would lock on this host only
    const auto wrong = run({"x", "--", "touch", "ran"}, {.variables = {{"HOLDFAST_URL", ""}}});
    EXPECT_EQ(wrong.code, 64);
    EXPECT_THAT(wrong.err, HasSubstr("HOLDFAST_URL: it is empty"));
    EXPECT_FALSE(std::filesystem::exists(sandbox_.file("ran")));
}

TEST_F(run_options, a_grace_that_is_too_long_names_the_option_that_is_too_short) {
    EXPECT_THAT(run({"--max-hold", "4s", "--grace", "10s", "--lease", "5m", "x", "--", "true"}).err,
                HasSubstr("give a longer --max-hold"));
    EXPECT_THAT(run({"--grace", "10s", "--lease", "5s", "x", "--", "true"}).err,
                HasSubstr("give a longer --lease"));
}

TEST_F(run_options, memory_is_refused_because_no_other_process_would_see_the_lock) {
    for (const auto& line : std::vector<words>{{"run", "x", "--", "touch", "ran"},
                                               {"acquire", "x"},
                                               {"release", "x", "--owner", "y"},
                                               {"demo"}}) {
        const auto wrong = command(line, {.variables = {{"HOLDFAST_URL", "memory:x"}}});
        EXPECT_EQ(wrong.code, 64) << line.front();
        EXPECT_THAT(wrong.err, HasSubstr("memory: is for threads of one process"));
    }
    EXPECT_EQ(run({"--url", "memory:", "x", "--", "touch", "ran"}).code, 64);
    EXPECT_FALSE(std::filesystem::exists(sandbox_.file("ran")));
    EXPECT_THAT(command({"man"}).out, Not(HasSubstr("memory:")));
}

TEST_F(run_options, a_password_in_the_url_causes_a_warning) {
    const auto shown = run({"--url", "redis://user:secret@host", "x", "--", "true"});
    EXPECT_NE(shown.code, 0);
    EXPECT_THAT(shown.err, HasSubstr("password"));
    EXPECT_THAT(shown.err, Not(HasSubstr("secret")));
}

TEST_F(run_options, readers_run_together_and_keep_a_writer_out) {
    const auto first = hold("x", {"--shared"});
    const auto second = hold("x", {"--shared"});
    EXPECT_EQ(run({"-nq", "--exclusive", "x", "--", "true"}).code, 75);
    EXPECT_EQ(run({"-nq", "--shared", "x", "--", "true"}).code, 0);
}

TEST_F(run_options, limit_is_how_many_run_at_a_time) {
    const auto first = hold("x", {"--limit", "3"});
    const auto second = hold("x", {"--limit", "3"});
    EXPECT_EQ(run({"-nq", "--limit", "3", "--permits", "2", "x", "--", "true"}).code, 75);
    const auto third = hold("x", {"--limit", "3", "--permits", "1"});
    EXPECT_EQ(run({"-nq", "--limit", "3", "x", "--", "true"}).code, 75);
}

TEST_F(run_options, min_hold_blocks_the_next_holder_until_it_is_over) {
    const stopwatch watch;
    EXPECT_EQ(run({"--min-hold", "2s", "x", "--", "true"}).code, 0);
    const auto busy = run({"-n", "x", "--", "true"});
    // Free only if the machine took two seconds for this.
    EXPECT_EQ(busy.code, watch.elapsed() < 2s ? 75 : busy.code) << busy.err;
    EXPECT_EQ(run({"x", "--", "true"}).code, 0);
    EXPECT_GE(watch.elapsed(), 2s);
}

TEST_F(run_options, max_hold_ends_the_command) {
    const stopwatch watch;
    const auto ended = run(
        {"--max-hold", "1500ms", "-c", "trap 'echo sigterm; exit' TERM; sleep 100 & wait", "x"});
    EXPECT_EQ(ended.code, 76);
    EXPECT_EQ(ended.out, "sigterm\n") << "SIGTERM comes first";
    EXPECT_LT(watch.elapsed(), 1500ms + long_wait);
    EXPECT_EQ(run({"x", "--", "true"}).code, 0);
}

TEST_F(run_options, verbose_names_the_holder_and_its_note) {
    const auto holder = hold("x", {"--note", "nightly, by Ann"});
    const auto busy = run({"-v", "-w", "300ms", "x", "--", "true"});
    EXPECT_EQ(busy.code, 75);
    EXPECT_THAT(busy.err, HasSubstr("nightly, by Ann"));
    EXPECT_THAT(busy.err, HasSubstr("pid " + std::to_string(guardian_of(holder.pid()))));
    EXPECT_THAT(busy.err, HasSubstr("waiting"));
    EXPECT_FALSE(has_escapes(busy.err));
    const auto at_once =
        run({"-n", "x", "--", "true"}, {.variables = {{"HOLDFAST_LOG", "verbose"}}});
    EXPECT_THAT(at_once.err, HasSubstr("nightly, by Ann"));
}

TEST_F(run_options, verbose_escapes_control_characters_of_a_note) {
    const std::string tail(200, 'n');
    const auto holder = hold("x", {"--note", "\x1b]0;title\x07\r\nforged\x7f\xc2\x9b" + tail});
    const auto busy = run({"-v", "-n", "x", "--", "true"});
    EXPECT_THAT(busy.err, HasSubstr("(\\x1b]0;title\\x07\\x0d\\x0aforged\\x7f\\xc2\\x9b" + tail));
    EXPECT_FALSE(has_escapes(busy.err)) << busy.err;
}

TEST_F(run_options, quiet_prints_only_errors) {
    const auto holder = hold("x");
    EXPECT_NE(run({"-n", "x", "--", "true"}).err, "");
    EXPECT_EQ(run({"-n", "-q", "x", "--", "true"}).err, "");
    EXPECT_EQ(run({"-n", "x", "--", "true"}, {.variables = {{"HOLDFAST_LOG", "quiet"}}}).err, "");
    EXPECT_NE(run({"-q", "y", "--", "no-such-command"}).err, "");
    EXPECT_EQ(run({"y", "--", "true"}).err, "") << "a success prints nothing either";
}

TEST_F(run_options, lease_comes_from_the_variable_unless_given) {
    const start_options three_seconds{.variables = {{"HOLDFAST_LEASE", "3s"}}};
    EXPECT_EQ(run({"--grace", "2s", "x", "--", "true"}, three_seconds).code, 64);
    EXPECT_EQ(run({"--grace", "2s", "--lease", "30s", "x", "--", "true"}, three_seconds).code, 0);
    EXPECT_EQ(run({"--grace", "400ms", "x", "--", "true"}, three_seconds).code, 0);
}

TEST_F(run_options, a_lease_is_renewed_while_the_command_runs) {
    auto holder = start({"--lease", "1s", "x", "--", "sh", "-c", "echo held; sleep 3"});
    ASSERT_TRUE(eventually([&] { return holder.out() == "held\n"; }));
    EXPECT_EQ(run({"-nq", "-w", "2s", "x", "--", "true"}).code, 64);
    EXPECT_EQ(run({"-q", "-w", "2s", "x", "--", "true"}).code, 75);
    EXPECT_EQ(holder.wait().code, 0);
}

TEST_F(run_options, names_may_have_any_bytes) {
    for (const std::string name :
         {"with space", "it's \"quoted\"", "two\nlines", "über-日本", "[a,b]", "{}", "%s%n", "/a/b",
          "a=b", "$(id)", "-", "\xff\xfe", "x\\y", "tab\there", "#"}) {
        const auto plain = run({"-c", "printf %s \"$HOLDFAST_NAME\"", name});
        EXPECT_EQ(plain.code, 0) << name << plain.err;
        EXPECT_EQ(plain.out, name);
        const auto holder = hold(name);
        const auto busy = run({"-n", name, "--", "true"});
        EXPECT_EQ(busy.code, 75) << name;
        EXPECT_FALSE(has_escapes(busy.err)) << busy.err;
    }
    const std::string longest(512, 'n');
    EXPECT_EQ(run({"-c", "printf %s \"$HOLDFAST_NAME\"", longest}).out, longest);
}

} // namespace

} // namespace holdfast::test
