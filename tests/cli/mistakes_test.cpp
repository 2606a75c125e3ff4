// Mistyped command lines and URLs: the message says what is wrong, in the words of the command.

#include "cli/cli_fixture.hpp"

#include <utility>

namespace holdfast::test {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class mistakes : public cli {
protected:
    /// The message of a command that refuses.
    std::string refusal(const words& line) {
        const auto end = command(line);
        EXPECT_EQ(end.code, 64) << end.err;
        return end.err;
    }
};

TEST_F(mistakes, in_a_url_are_answered_with_what_was_meant) {
    for (const auto& [typed, meant] : std::vector<std::pair<std::string, std::string>>{
             {"127.0.0.1:6379", "redis://127.0.0.1:6379"},
             {"localhost", "redis://localhost"},
             {"redis//127.0.0.1", "redis://127.0.0.1"},
             {"redis:127.0.0.1", "redis://127.0.0.1"},
             {"redis", "redis://HOST"},
             {"REDIS://h", "redis://h"},
             {"redsi://h", "redis://h"},
             {"redis+sentinl://a,b/m", "redis+sentinel://a,b/m"},
             {"embedded", "embedded:"},
             {"embedded/tmp/x", "embedded:/tmp/x"},
             {"/tmp/x", "embedded:/tmp/x"}}) {
        EXPECT_THAT(refusal({"ls", "--url", typed}), HasSubstr("; write " + meant + "\n")) << typed;
    }
}

TEST_F(mistakes, in_a_url_name_only_engines_of_the_command_and_no_password) {
    for (const std::string typed : {"http://h", "etcd://h", "memory", "", "::"}) {
        const auto text = refusal({"ls", "--url", typed});
        EXPECT_THAT(text, AllOf(Not(HasSubstr("memory:")), Not(HasSubstr("etcd:,")),
                                Not(HasSubstr("quorum:"))))
            << typed;
    }
    EXPECT_THAT(refusal({"ls", "--url", "http://h"}), HasSubstr("one of embedded:, redis://"));
    for (const std::string typed :
         {"user:secret@h:1", "redis:user:secret@h", "redsi://u:secret@h"}) {
        EXPECT_THAT(refusal({"ls", "--url", typed}),
                    AllOf(HasSubstr("redis://user:password@h"), Not(HasSubstr("secret"))));
    }
}

TEST_F(mistakes, such_as_options_before_the_command_do_not_quote_the_password) {
    const auto text = refusal({"--url", "redis://u:secret@h", "ls"});
    EXPECT_THAT(text, AllOf(HasSubstr("options follow it: holdfast ls --url ..."),
                            Not(HasSubstr("secret"))));
    EXPECT_THAT(refusal({"--url=redis://u:secret@h", "ls"}), Not(HasSubstr("secret")));
    EXPECT_EQ(command({"--version"}).code, 0);
    EXPECT_EQ(command({"-h"}).code, 0);
}

TEST_F(mistakes, in_a_url_name_the_variable_or_the_file_that_has_it) {
    sandbox_.write("url", "redis://h:99999\n");
    EXPECT_THAT(refusal({"ls", "--url-file", "url"}), HasSubstr("--url-file url: port: must be"));
    EXPECT_THAT(refusal({"doctor", "--url-file", "url"}), HasSubstr("--url-file url: port: "));
    for (const auto& line : std::vector<words>{{"ls"}, {"doctor"}, {"run", "x", "--", "true"}}) {
        const auto end = command(line, {.variables = {{"HOLDFAST_URL", "junk"}}});
        EXPECT_EQ(end.code, 64);
        EXPECT_THAT(end.err, HasSubstr("HOLDFAST_URL: it has no scheme")) << line.front();
    }
    EXPECT_THAT(refusal({"ls", "--url", "junk"}), HasSubstr("holdfast: URL: it has no scheme"));
}

TEST_F(mistakes, such_as_help_and_man_with_a_command_name_the_help) {
    for (const auto& [line, answer] : std::vector<std::pair<words, std::string>>{
             {{"help"}, "see: holdfast --help, or holdfast man\n"},
             {{"help", "run"}, "see: holdfast run --help\n"},
             {{"man", "run"}, "see: holdfast run --help\n"},
             {{"--man"}, "see: holdfast man\n"}}) {
        EXPECT_EQ(refusal(line), "holdfast: " + answer);
    }
}

TEST_F(mistakes, such_as_several_names_without_dashes_are_explained) {
    const auto end = command({"run", "a", "no-such-command", "true"});
    EXPECT_EQ(end.code, 127);
    EXPECT_THAT(end.err, HasSubstr("several names need -- before the command"));
    EXPECT_THAT(command({"run", "a", "--", "no-such-command", "true"}).err,
                Not(HasSubstr("several names")));
}

TEST_F(mistakes, in_numbers_name_the_range) {
    EXPECT_THAT(refusal({"run", "--limit", "-1", "x", "--", "true"}),
                HasSubstr("--limit: \"-1\" is not a whole number from 1 to 10000"));
    EXPECT_THAT(refusal({"run", "--limit", "2", "--permits", "0", "x", "--", "true"}),
                HasSubstr("--permits: \"0\" is not a whole number from 1"));
    EXPECT_THAT(refusal({"break", "x", "--token", "abc", "-y"}),
                HasSubstr("--token: \"abc\" is not a whole number from 1"));
    EXPECT_THAT(refusal({"ping", "-c", "0"}), HasSubstr("--count: \"0\" is not a whole number"));
    EXPECT_THAT(refusal({"run", "-E", "256", "x", "--", "true"}), HasSubstr("from 0 to 255"));
    EXPECT_THAT(refusal({"latch", "wait", "x", "0"}), HasSubstr("COUNT: \"0\" is not"));
}

TEST_F(mistakes, in_durations_are_named_by_their_options) {
    EXPECT_THAT(refusal({"run", "--min-hold", "10s", "--max-hold", "5s", "x", "--", "true"}),
                HasSubstr("--min-hold 10s is longer than --max-hold 5s"));
    EXPECT_THAT(refusal({"run", "--lease", "25h", "x", "--", "true"}),
                HasSubstr("--lease is 1d1h; give 100ms to 1d"));
    EXPECT_THAT(refusal({"run", "--note", std::string(300, 'n'), "x", "--", "true"}),
                HasSubstr("--note has 300 bytes; the most is 256"));
}

TEST_F(mistakes, in_the_kind_of_a_lock_are_named_by_the_options) {
    const auto readers = hold("prices", {"--shared"});
    const auto some = hold("encoder", {"--limit", "2"});
    EXPECT_THAT(refusal({"run", "prices", "--", "true"}),
                AllOf(HasSubstr("\"prices\" is in use as a lock with readers and a writer "
                                "(--shared, --exclusive), and not as a lock with one holder"),
                      Not(HasSubstr("mutex"))));
    EXPECT_THAT(refusal({"acquire", "--exclusive", "encoder"}),
                AllOf(HasSubstr("with several holders (--limit)"), Not(HasSubstr("semaphore"))));
    EXPECT_THAT(refusal({"run", "--limit", "3", "encoder", "--", "true"}),
                HasSubstr("\"encoder\" is in use with --limit 2, not 3"));
    EXPECT_THAT(refusal({"run", "--limit", "2", "--permits", "3", "encoder", "--", "true"}),
                AllOf(HasSubstr("\"encoder\": --permits"), HasSubstr("the limit, which is 2"),
                      Not(HasSubstr("counting_semaphore"))));
}

TEST_F(mistakes, such_as_a_url_for_a_pattern_say_where_it_belongs) {
    for (const std::string word : {"ls", "events", "top", "web"}) {
        for (const std::string url : {"redis://u:secret@localhost", "rediss+cluster://a,b",
                                      "embedded:/tmp/x", "embedded:", "memory:"}) {
            EXPECT_THAT(refusal({word, url}),
                        AllOf(HasSubstr("PATTERN: it is the URL"),
                              HasSubstr("write --url before it"), Not(HasSubstr("secret"))))
                << word << ' ' << url;
        }
    }
    for (const words& use :
         std::vector<words>{{"show", "redis://h"}, {"break", "-y", "redis://h"}}) {
        const auto end = command(use);
        EXPECT_EQ(end.code, 1);
        EXPECT_THAT(end.err, HasSubstr("; the URL of an engine belongs behind --url\n"));
    }
}

TEST_F(mistakes, such_as_a_url_for_a_pattern_are_not_seen_in_names_with_colons) {
    for (const std::string name :
         {"stock:1001", "redis:cache", "memory:used", "embedded:1", "https://host/page"}) {
        const auto holder = hold(name);
        EXPECT_THAT(command({"ls", name}).out, HasSubstr(name));
    }
    const auto holder = hold("redis://h");
    EXPECT_THAT(command({"ls", "redis\\://h"}).out, HasSubstr("redis://h"));
    EXPECT_EQ(command({"show", "redis://h"}).code, 0);
}

TEST_F(mistakes, such_as_an_option_of_another_action_of_latch_are_refused) {
    using line = std::pair<words, std::string>;
    for (const auto& [use, text] :
         {line{{"count-down", "-w", "1s", "x", "2"},
               "--wait is for latch wait, and the action is "
               "count-down; leave the option out"},
          line{{"init", "--id", "a", "x", "2"}, "--id is for latch count-down"},
          line{{"wait", "-w", "0", "--id", "a", "x", "2"}, "--id is for latch count-down"},
          line{{"reset", "--keep", "1m", "x"}, "--keep is for latch count-down"}}) {
        words all{"latch"};
        all.insert(all.end(), use.begin(), use.end());
        EXPECT_THAT(refusal(all), HasSubstr(text));
    }
}

} // namespace

} // namespace holdfast::test
