// Answers that are lost, late or replaced.

#include "proxy/proxy_fixture.hpp"

#include <stdexcept>

namespace holdfast::test {

namespace {

class proxy_answers : public proxy_fixture {};

TEST_F(proxy_answers, are_lost_although_the_server_executed_the_request) {
    auto client = connect();
    proxy_.drop_answers();
    client.send({"INCR", "n"});
    EXPECT_TRUE(client.closes());
    EXPECT_TRUE(client.was_reset());
    EXPECT_FALSE(client.read());
    EXPECT_EQ(value("n"), "1");
    EXPECT_EQ(connect().ask({"INCR", "n"}).number(), 2) << "only one was to be lost";
    EXPECT_EQ(proxy_.counts().dropped, 1U);
}

TEST_F(proxy_answers, are_lost_if_the_request_contains_certain_bytes) {
    auto client = connect();
    proxy_.drop_answers({.with = "stock"});
    EXPECT_EQ(client.ask({"INCR", "other"}).number(), 1);
    client.send({"INCR", "other"});
    client.send({"INCR", "stock"});
    EXPECT_EQ(client.read().value().number(), 2) << "what came before is not lost";
    EXPECT_FALSE(client.read());
    EXPECT_EQ(value("stock"), "1");
}

TEST_F(proxy_answers, are_lost_until_heal) {
    proxy_.drop_answers({.times = for_good});
    for (int i = 0; i < 3; ++i) {
        auto client = connect();
        client.send({"INCR", "n"});
        EXPECT_TRUE(client.closes());
    }
    proxy_.heal();
    EXPECT_EQ(connect().ask({"INCR", "n"}).number(), 4);
}

TEST_F(proxy_answers, may_be_lost_on_a_silent_connection) {
    auto client = connect();
    proxy_.drop_answers({}, ending::silence);
    client.send({"INCR", "n"});
    ASSERT_TRUE(eventually([&] { return proxy_.counts().dropped == 1; }));
    EXPECT_EQ(value("n"), "1");
    EXPECT_FALSE(client.closes(a_while));
}

TEST_F(proxy_answers, may_be_lost_with_an_orderly_close) {
    auto client = connect();
    proxy_.drop_answers({}, ending::close);
    client.send({"INCR", "n"});
    EXPECT_TRUE(client.closes());
    EXPECT_FALSE(client.was_reset());
    EXPECT_EQ(value("n"), "1");
}

TEST_F(proxy_answers, are_held_until_released) {
    auto client = connect();
    auto listener = inbox("c");
    proxy_.hold_answers({.with = "PUBLISH"});
    client.send({"PUBLISH", "c", "early"});
    client.send({"PING"});
    EXPECT_EQ(listener.read().value().text(), "[message, c, early]") << "before its own answer";
    EXPECT_FALSE(client.read(a_while));
    EXPECT_EQ(proxy_.counts().held, 1U);
    proxy_.release();
    EXPECT_EQ(client.read().value().number(), 1);
    EXPECT_EQ(client.read().value().text(), "PONG");
}

class proxy_garbage : public proxy_answers, public testing::WithParamInterface<garbage> {};

INSTANTIATE_TEST_SUITE_P(kinds, proxy_garbage,
                         testing::Values(garbage::wrong_type, garbage::huge_string,
                                         garbage::huge_list, garbage::no_number, garbage::noise));

TEST_P(proxy_garbage, comes_in_place_of_one_answer) {
    auto client = connect();
    proxy_.mangle(GetParam(), {.with = "INCR"});
    EXPECT_EQ(client.ask({"PING"}).text(), "PONG");
    client.send({"INCR", "n"});
    EXPECT_THROW(static_cast<void>(client.read()), std::runtime_error);
    EXPECT_EQ(value("n"), "1");
    EXPECT_EQ(connect().ask({"INCR", "n"}).number(), 2) << "one answer";
}

TEST_F(proxy_answers, may_end_half_way) {
    auto client = connect();
    proxy_.mangle(garbage::truncated);
    client.send({"ECHO", "a long word"});
    EXPECT_FALSE(client.read());
    EXPECT_TRUE(client.closes(0ms));
    EXPECT_GT(proxy_.counts().bytes_to_client, 0U);
}

} // namespace

} // namespace holdfast::test
