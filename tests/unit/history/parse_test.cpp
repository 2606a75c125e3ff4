// Lines: written, read back, torn and garbled.

#include "history/line.hpp"
#include "history/parser.hpp"

#include <gtest/gtest.h>

#include <array>
#include <sstream>

namespace {

using namespace holdfast::history;
using namespace std::chrono_literals;

parsed parse_text(const std::string& text) {
    std::istringstream in{text};
    return parse(in);
}

const std::string good = to_line({.at = 5ns,
                                  .pid = 7,
                                  .thread = 1,
                                  .process = "p",
                                  .type = released{.name = "n", .owner = "o"}});

std::vector<event_type> one_of_each() {
    return {requested{"n", "o", mode::permits, 2, 3, 1500ms},
            granted{"n", "o", ~std::uint64_t{0}, 77ns},
            renewed{"n", "o", never},
            released{"n", "o"},
            lost{"n", "o", 8ns, 9ns},
            gave_up{"n", "o", reason::cancelled},
            wrote{"n", "o", 3, false, 4ns, -5},
            wrote{"n", "o", 3, true, 4ns, std::nullopt},
            resumed{71, 1ns, 2ns},
            killed{72, 3ns},
            broken{"n", 6, 7ns}};
}

TEST(history_parse, reads_back_every_kind_of_event) {
    std::string text;
    for (const auto& what : one_of_each()) {
        text += to_line(
            {.at = 123456789012ns, .pid = 4711, .thread = 3, .process = "taker 3", .type = what});
    }
    const auto read = parse_text(text);
    EXPECT_TRUE(read.errors.empty());
    EXPECT_EQ(read.torn, 0U);
    ASSERT_EQ(read.events.size(), one_of_each().size());
    std::string again;
    for (std::size_t i = 0; i < read.events.size(); ++i) {
        const auto& e = read.events[i];
        EXPECT_EQ(e.line, i + 1);
        EXPECT_EQ(e.at, 123456789012ns);
        EXPECT_EQ(e.process, "taker 3");
        EXPECT_EQ(e.type.index(), one_of_each()[i].index());
        again += to_line(e);
    }
    EXPECT_EQ(again, text);
    const auto& w = std::get<wrote>(read.events[6].type);
    EXPECT_EQ(w.token, 3U);
    EXPECT_FALSE(w.accepted);
    EXPECT_EQ(w.begun, 4ns);
    EXPECT_EQ(w.value, -5);
    EXPECT_EQ(std::get<requested>(read.events[0].type).lease, 1500ms);
}

TEST(history_parse, carries_names_of_any_bytes) {
    std::string name;
    for (int byte = 0; byte < 256; ++byte) { name += static_cast<char>(byte); }
    const auto line = to_line({.process = name, .type = released{.name = name, .owner = name}});
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    EXPECT_EQ(line.rfind('@'), 0U);
    const auto read = parse_text(line);
    ASSERT_EQ(read.events.size(), 1U);
    EXPECT_EQ(read.events[0].process, name);
    EXPECT_EQ(std::get<released>(read.events[0].type).name, name);
    EXPECT_EQ(std::get<released>(read.events[0].type).owner, name);
}

TEST(history_parse, has_room_for_the_longest_name_in_a_line) {
    const requested longest{.name = std::string(512, '\n'),
                            .owner = std::string(64, 'o'),
                            .mode = mode::exclusive,
                            .n = ~0U,
                            .limit = ~0U,
                            .lease = never};
    EXPECT_FALSE(to_line({.at = never, .process = std::string(64, ' '), .type = longest}).empty());
}

TEST(history_parse, does_not_write_a_line_that_does_not_fit) {
    EXPECT_EQ(to_line({.type = released{.name = std::string(max_line, 'n')}}), "");
    std::array<char, 10> little{};
    EXPECT_EQ(to_line({.type = released{.name = "n"}}, little), 0U);
}

TEST(history_parse, tolerates_and_counts_a_torn_last_line_wherever_it_is_torn) {
    for (std::size_t length = 1; length < good.size(); ++length) {
        const auto read = parse_text(good + good.substr(0, length));
        EXPECT_EQ(read.events.size(), 1U) << length;
        EXPECT_TRUE(read.errors.empty()) << length;
        EXPECT_EQ(read.torn, 1U) << length;
    }
}

TEST(history_parse, finds_the_whole_line_behind_a_torn_one) {
    for (std::size_t length = 1; length < good.size(); ++length) {
        const auto read = parse_text(good.substr(0, length).append(good).append(good));
        EXPECT_EQ(read.events.size(), 2U) << length;
        EXPECT_TRUE(read.errors.empty()) << length;
        EXPECT_EQ(read.torn, 1U) << length;
    }
    const auto twice = parse_text(good.substr(0, 5) + good.substr(0, 9) + good);
    EXPECT_EQ(twice.events.size(), 1U);
    EXPECT_EQ(twice.torn, 2U);
}

TEST(history_parse, names_the_line_of_each_error_and_reads_on) {
    std::string text = good;
    text.append("garbage\n").append(good).append("\n@released at=x\n").append(good);
    const auto read = parse_text(text);
    EXPECT_EQ(read.events.size(), 3U);
    EXPECT_EQ(read.events[2].line, 6U);
    ASSERT_EQ(read.errors.size(), 3U);
    EXPECT_EQ(read.errors[0].line, 2U);
    EXPECT_EQ(read.errors[1].line, 4U);
    EXPECT_EQ(read.errors[2].line, 5U);
}

TEST(history_parse, refuses_lines_that_are_almost_right) {
    const std::string head = " at=5 pid=7 thread=1 process=p";
    const auto line = [&](const std::string& kind, const std::string& rest) {
        return '@' + kind + head + ' ' + rest + '\n';
    };
    ASSERT_TRUE(parse_text(line("released", "name=n owner=o")).errors.empty());
    const std::vector<std::string> wrong{
        "@\n",
        "@released\n",
        "@released at=-5 pid=7 thread=1 process=p name=n owner=o\n",
        "@released at=99999999999999999999 pid=7 thread=1 process=p name=n owner=o\n",
        line("sneezed", "name=n owner=o"),
        line("released", "name=n"),
        line("released", "name=n owner"),
        line("released", "name=n owner=o more=1"),
        line("released", "owner=o name=n"),
        line("released", " name=n owner=o"),
        line("released", "namen owner=o"),
        line("released", "name=%4 owner=o"),
        line("released", "name=%zz owner=o"),
        line("released", "name=% owner=o"),
        line("gave_up", "name=n owner=o reason=boredom"),
        line("wrote", "name=n owner=o token=1 accepted=1 begun=0 value="),
        line("wrote", "name=n owner=o token=-1 accepted=no begun=0 value="),
        line("requested", "name=n owner=o mode=both n=1 limit=1 lease=1"),
    };
    for (const auto& text : wrong) {
        const auto read = parse_text(text);
        EXPECT_EQ(read.errors.size(), 1U) << text;
        EXPECT_TRUE(read.events.empty()) << text;
    }
}

TEST(history_parse, survives_random_bytes) {
    std::string noise;
    std::uint64_t x = 88172645463325252U;
    for (int i = 0; i < 100'000; ++i) {
        x ^= x << 13U;
        x ^= x >> 7U;
        x ^= x << 17U;
        noise += static_cast<char>(x & 0xFFU);
    }
    EXPECT_TRUE(parse_text(noise).events.empty());
    EXPECT_TRUE(parse_text("").errors.empty());
}

TEST(history_parse, says_which_file_it_cannot_open) {
    try {
        static_cast<void>(parse_file("/no/such/history"));
        FAIL() << "opened";
    } catch (const std::system_error& e) {
        EXPECT_NE(std::string{e.what()}.find("/no/such/history"), std::string::npos);
    }
    EXPECT_THROW(static_cast<void>(parse_file("/")), std::system_error);
}

} // namespace
