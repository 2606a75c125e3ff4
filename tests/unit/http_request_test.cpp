// The parser of HTTP requests, and the encodings in their targets.

#include "holdfast/http/http_request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::http {

namespace {

TEST(http_request, has_its_path_query_and_headers) {
    const auto parsed = parse_head("GET /locks?sort=age HTTP/1.1\r\nHost: a\r\nX-Thing:  b c \r\n"
                                   "COOKIE: k=v");
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->method, "GET");
    EXPECT_EQ(parsed->path, "/locks");
    EXPECT_EQ(parsed->query, "sort=age");
    EXPECT_EQ(parsed->header_value("host"), "a");
    EXPECT_EQ(parsed->header_value("x-thing"), "b c");
    EXPECT_EQ(parsed->header_value("cookie"), "k=v");
    EXPECT_EQ(parsed->header_value("none"), "");
}

TEST(http_request, counts_headers_that_are_repeated) {
    const auto parsed = parse_head("GET / HTTP/1.1\r\nHost: a\r\nhost: b");
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->count("host"), 2U);
    EXPECT_EQ(parsed->header_value("host"), "a");
}

TEST(http_request, is_refused_if_it_is_no_http) {
    for (const char* const head :
         {"", "GET", "GET /", "GET / FTP/1.0", "GET / HTTP/2", "GET / HTTP/1.1\r\nno colon",
          "GET / HTTP/1.1\r\n: no name", "GET / HTTP/1.1\r\nHost : blank before the colon",
          "GET / HTTP/1.1\r\nA: b\r\n continued: line"}) {
        EXPECT_FALSE(parse_head(head)) << head;
    }
}

TEST(http_request, decodes_the_fields_of_a_form) {
    EXPECT_EQ(form_value("a=1&b=x%20y+z&c", "b"), "x y z");
    EXPECT_EQ(form_value("a=1&b=2&b=3", "b"), "2");
    EXPECT_EQ(form_value("a=1&c", "c"), "");
    EXPECT_EQ(form_value("a=1", "b"), std::nullopt);
    EXPECT_EQ(form_value("ab=1", "b"), std::nullopt);
    for (const char* const wrong : {"a=%", "a=%2", "a=%zz", "a=x%f"}) {
        EXPECT_EQ(form_value(wrong, "a"), std::nullopt) << wrong;
    }
}

TEST(http_request, encodes_any_bytes) {
    std::string all;
    for (int byte = 0; byte < 256; ++byte) { all += static_cast<char>(byte); }
    EXPECT_EQ(form_value("name=" + percent_encode(all) + "&x=1", "name"), all);
    EXPECT_EQ(percent_encode("a b/\xff"), "a%20b%2F%FF");
}

} // namespace

} // namespace holdfast::http
