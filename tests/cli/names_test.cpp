// Names of any bytes in the output: as they are where the charset has them, escaped otherwise.

#include "cli/operator_fixture.hpp"

#include <holdfast/holdfast.hpp>

#include <sstream>

namespace holdfast::test {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const start_options utf8{.variables = {{"LC_ALL", "C.UTF-8"}}};
const start_options ascii{.variables = {{"LC_ALL", "C"}}};

class names : public operator_commands {
protected:
    /// Acquires it; nothing renews or releases it.
    void take(const std::string& name) {
        client fleet{sandbox_.url()};
        mutex lock{fleet, name, {.lease = 10min, .renew = false, .detached = true}};
        lock.acquire({.note = "für Ann"}).detach();
    }
    /// `holdfast ls`'s line that has the text, up to it.
    std::string before(const std::string& text, const std::string& in_line_with) {
        std::istringstream lines{command({"ls"}, utf8).out};
        for (std::string line; std::getline(lines, line);) {
            if (line.find(in_line_with) != std::string::npos) {
                return line.substr(0, line.find(text));
            }
        }
        return "no such line";
    }
};

TEST_F(names, of_letters_are_printed_as_they_are_where_the_charset_is_utf8) {
    take("über-日本");
    EXPECT_THAT(command({"ls"}, utf8).out, AllOf(HasSubstr("über-日本 "), HasSubstr("für Ann")));
    EXPECT_THAT(command({"show", "über-日本"}, utf8).out, HasSubstr("\"über-日本\": mutex"));
    EXPECT_THAT(run({"-n", "über-日本", "--", "true"}, utf8).err,
                HasSubstr("\"über-日本\" is held"));
    EXPECT_THAT(command({"ls"}, {.variables = {{"LC_ALL", ""}, {"LC_CTYPE", "de_DE.utf8"}}}).out,
                HasSubstr("über-日本"));
}

TEST_F(names, are_escaped_where_the_charset_does_not_have_their_letters) {
    take("über");
    for (const auto& line : std::vector<words>{{"ls"}, {"run", "-n", "über", "--", "true"}}) {
        const auto end = command(line, ascii);
        EXPECT_THAT(end.out + end.err, AllOf(HasSubstr("$'\\xc3\\xbcber'"), Not(HasSubstr("ü"))));
    }
    const auto end = run({"--log", "json", "-n", "über", "--", "true"}, ascii);
    EXPECT_THAT(end.err, HasSubstr("über")) << "JSON is UTF-8 in each locale";
    const auto refused = command({"frobnicate-ü"}, ascii);
    EXPECT_THAT(refused.err, Not(HasSubstr("ü")));
}

TEST_F(names, that_are_escaped_are_what_bash_reads_as_the_name) {
    const std::string name = "a\x1b'\\\n\xff\xc2\x9b\xe2\x80\xae日b";
    take(name);
    for (const auto& locale : {utf8, ascii}) {
        const auto table = command({"ls"}, locale).out;
        EXPECT_FALSE(has_escapes(table)) << table;
        const auto begin = table.find("$'");
        ASSERT_NE(begin, std::string::npos) << table;
        const auto shown = table.substr(begin, table.find("  ", begin) - begin);
        EXPECT_EQ(shell("$holdfast show --json " + shown).code, 0) << shown;
        const auto busy = run({"-n", name, "--", "true"}, locale).err;
        EXPECT_THAT(busy, HasSubstr("holdfast: " + shown + " is held"));
    }
}

TEST_F(names, take_as_many_columns_as_the_terminal_shows) {
    take("plain");
    take("über");
    take("日本");
    take("e\xcc\x81"); // a letter and its accent
    EXPECT_EQ(before("exclusive", "plain "), "plain  ");
    EXPECT_EQ(before("exclusive", "über "), "über   ");
    EXPECT_EQ(before("exclusive", "日本 "), "日本   ");
    EXPECT_EQ(before("exclusive", "e\xcc\x81 "), "e\xcc\x81      ");
}

TEST_F(names, that_are_not_utf8_are_distinct_in_json) {
    take("a\xff");
    take("a\xfe");
    take("aü");
    const auto listed = command({"ls", "--json", "--sort", "name"}).out;
    EXPECT_EQ(of_json(listed, "each.get('name_base64', '-')"), "-\nYf4=\nYf8=\n");
    EXPECT_EQ(of_json(command({"show", "--json", "a\xff"}).out, "each['name_base64']"), "Yf8=\n");
    EXPECT_EQ(of_json(command({"acquire", "--json", "\xff"}).out, "each['name_base64']"), "/w==\n");
    EXPECT_EQ(
        of_json(run({"--log", "json", "-n", "a\xff", "--", "true"}).err, "each['lock_base64']"),
        "Yf8=\n");
}

} // namespace

} // namespace holdfast::test
