// reply_reader: RESP2 and the RESP3 types that our commands return, however the bytes are split.

#include "holdfast/engine/redis/protocol/reply.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::engine::redis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// `>[message c 5]`, `'text'`, `!error`, `5`, `nothing`
std::string show(const reply& reply) {
    if (reply.is_error()) { return '!' + std::string{reply.text()}; }
    if (reply.is_integer()) { return std::to_string(reply.integer()); }
    if (reply.is_text()) { return '\'' + std::string{reply.text()} + '\''; }
    if (!reply.is_array()) { return reply.is_push() ? ">nothing" : "nothing"; }
    std::string out = reply.is_push() ? ">[" : "[";
    for (std::size_t at = 0; at < reply.size(); ++at) {
        out += (at == 0 ? "" : " ") + show(reply[at]);
    }
    return out + ']';
}

/// Feeds some bytes, and adds what they complete; false: it is not the protocol.
bool hear(reply_reader& reader, std::string_view bytes, std::vector<std::string>& heard) {
    return reader.read(bytes, [&](const reply& reply) { heard.push_back(show(reply)); });
}

std::vector<std::string> read_whole(std::string_view bytes) {
    reply_reader reader;
    std::vector<std::string> heard;
    EXPECT_TRUE(hear(reader, bytes, heard)) << reader.fault();
    return heard;
}

/// All that can begin a reply, and text that looks as if it began one.
constexpr std::string_view everything = "+OK\r\n"
                                        ">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$4\r\n>3\r\n\r\n"
                                        ":5\r\n"
                                        "=8\r\ntxt:abcd\r\n"
                                        "_\r\n"
                                        ">3\r\n$9\r\nsubscribe\r\n$1\r\n_\r\n:1\r\n"
                                        ">1\r\n*2\r\n:1\r\n$1\r\n=\r\n"
                                        "*2\r\n$1\r\n>\r\n*1\r\n:-1\r\n"
                                        "+>no push\r\n"
                                        "$9\r\n_\r\n=1\r\n>0\r\n"
                                        "-ERR =no _text\r\n"
                                        ">0\r\n"
                                        "$-1\r\n"
                                        ">-1\r\n"
                                        "$0\r\n\r\n"
                                        "%2\r\n$1\r\n%\r\n:1\r\n$1\r\nb\r\n*1\r\n+x\r\n"
                                        "%5\r\n:0\r\n:1\r\n:2\r\n:3\r\n:4\r\n"
                                        ":5\r\n:6\r\n:7\r\n:8\r\n:9\r\n"
                                        "%0\r\n"
                                        "*0\r\n";

std::vector<std::string> all_of_it() {
    return {"'OK'",
            ">['message' 'c' '>3\r\n']",
            "5",
            "'txt:abcd'",
            "''",
            ">['subscribe' '_' 1]",
            ">[[1 '=']]",
            "['>' [-1]]",
            "'>no push'",
            "'_\r\n=1\r\n>0'",
            "!ERR =no _text",
            ">[]",
            "nothing",
            ">nothing",
            "''",
            "['%' 1 'b' ['x']]",
            "[0 1 2 3 4 5 6 7 8 9]",
            "[]",
            "[]"};
}

TEST(redis_reply, is_read_when_all_bytes_arrive_at_once) {
    EXPECT_EQ(read_whole(everything), all_of_it());
}

TEST(redis_reply, may_be_many_numbers_and_nulls) {
    EXPECT_THAT(read_whole(":1\r\n:-22\r\n_\r\n:9007199254740992\r\n_\r\n+and\r\n:3\r\n_\r\n"),
                ElementsAre("1", "-22", "''", "9007199254740992", "''", "'and'", "3", "''"));
}

TEST(redis_reply, is_read_wherever_it_is_split_in_two) {
    for (std::size_t cut = 0; cut <= everything.size(); ++cut) {
        reply_reader reader;
        std::vector<std::string> heard;
        ASSERT_TRUE(hear(reader, everything.substr(0, cut), heard)) << cut;
        ASSERT_TRUE(hear(reader, everything.substr(cut), heard)) << cut;
        ASSERT_EQ(heard, all_of_it()) << "cut after byte " << cut;
    }
}

TEST(redis_reply, is_read_byte_by_byte) {
    reply_reader reader;
    std::vector<std::string> heard;
    for (std::size_t at = 0; at < everything.size(); ++at) {
        ASSERT_TRUE(hear(reader, everything.substr(at, 1), heard)) << at;
        ASSERT_TRUE(hear(reader, {}, heard)) << "nothing came";
    }
    EXPECT_EQ(heard, all_of_it());
}

TEST(redis_reply, is_refused_if_it_is_a_padded_number_however_its_bytes_arrive) {
    for (const std::string_view padded : {":007\r\n", ":-0\r\n", ":-07\r\n", ":00\r\n"}) {
        std::vector<std::string> heard;
        reply_reader at_once;
        EXPECT_FALSE(hear(at_once, padded, heard)) << padded;
        reply_reader in_parts;
        (void)hear(in_parts, padded.substr(0, 1), heard);
        EXPECT_FALSE(hear(in_parts, padded.substr(1), heard)) << padded;
        EXPECT_THAT(heard, testing::IsEmpty());
    }
    EXPECT_THAT(read_whole(":0\r\n:-7\r\n:10\r\n"), ElementsAre("0", "-7", "10"));
}

TEST(redis_reply, is_the_same_number_whatever_its_length) {
    const std::string digits = "9223372036854775807"; // the largest
    for (std::size_t length = 1; length <= digits.size(); ++length) {
        const auto number = digits.substr(0, length);
        EXPECT_THAT(read_whole(":" + number + "\r\n:-" + number + "\r\n:1\r\n"),
                    ElementsAre(number, "-" + number, "1"));
    }
    for (const std::string wrong : {":1234567x\r\n", ":12345678x\r\n", ":\r\n", ":-\r\n"}) {
        std::vector<std::string> heard;
        reply_reader reader;
        EXPECT_FALSE(hear(reader, wrong, heard)) << wrong;
    }
}

TEST(redis_reply, is_read_a_thousand_times_over) { // beyond what the reader's buffer keeps
    reply_reader reader;
    std::vector<std::string> heard;
    std::string much;
    for (int i = 0; i < 1000; ++i) { much += everything; }
    constexpr std::size_t piece = 1021;
    for (std::size_t at = 0; at < much.size(); at += piece) {
        ASSERT_TRUE(hear(reader, std::string_view{much}.substr(at, piece), heard));
    }
    ASSERT_EQ(heard.size(), 1000 * all_of_it().size());
    EXPECT_EQ(std::vector(heard.end() - std::ssize(all_of_it()), heard.end()), all_of_it());
}

TEST(redis_reply, is_a_push_only_itself_and_not_its_elements_or_the_next_reply) {
    reply_reader reader;
    const std::string_view bytes = ">1\r\n*1\r\n:1\r\n*1\r\n:1\r\n";
    std::vector<bool> pushes;
    ASSERT_TRUE(reader.read(bytes, [&](const reply& reply) {
        pushes.push_back(reply.is_push());
        EXPECT_FALSE(reply[0].is_push());
    }));
    EXPECT_THAT(pushes, ElementsAre(true, false));
}

TEST(redis_reply, that_is_null_is_no_number_and_has_no_items) {
    reply_reader reader;
    ASSERT_TRUE(reader.read(std::string_view{"_\r\n"}, [](const reply& reply) {
        EXPECT_FALSE(reply.is_integer());
        EXPECT_FALSE(reply.is_error());
        EXPECT_EQ(reply.size(), 0U);
        EXPECT_EQ(reply.number(0), 0);
        EXPECT_EQ(reply.word(0), "");
        EXPECT_EQ(reply.text(), "");
    }));
}

TEST(redis_reply, that_is_malformed_is_a_permanent_fault) {
    for (const std::string_view bytes :
         {"?what\r\n", ">x\r\n", ":12x4\r\n", ":\r\n", ":99999999999999999999\r\n",
          ">2147483647\r\n", "*2147483647\r\n", "\r\n", "%x\r\n", "%2147483647\r\n", "%-1\r\n"}) {
        reply_reader reader;
        std::vector<std::string> heard;
        EXPECT_TRUE(hear(reader, "+before\r\n", heard));
        EXPECT_FALSE(hear(reader, bytes, heard)) << bytes;
        EXPECT_FALSE(hear(reader, "+after\r\n", heard)) << bytes;
        EXPECT_THAT(heard, ElementsAre("'before'")) << bytes;
        EXPECT_NE(reader.fault(), "") << bytes;
    }
}

TEST(redis_reply, of_more_than_its_limit_is_a_fault) { // P9
    reply_reader reader;
    std::vector<std::string> heard;
    ASSERT_TRUE(hear(reader, ">1\r\n$100000000\r\n", heard));
    const std::string piece(std::size_t{1} << 20U, 'x');
    std::size_t taken = 0;
    while (taken <= reply_reader::max_bytes && hear(reader, piece, heard)) {
        taken += piece.size();
    }
    EXPECT_LE(taken, reply_reader::max_bytes);
    EXPECT_THAT(reader.fault(), HasSubstr("64 MiB"));
}

} // namespace
} // namespace holdfast::engine::redis
