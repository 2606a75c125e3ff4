// Requests that reach the server long after they were sent.

#include "proxy/proxy_fixture.hpp"

namespace holdfast::test {

namespace {

class proxy_late_requests : public proxy_fixture {
protected:
    [[nodiscard]] bool one_is_held() {
        return eventually([&] { return proxy_.counts().held == 1; });
    }
};

TEST_F(proxy_late_requests, wait_until_released) {
    auto client = connect();
    proxy_.hold_requests({.with = "late"});
    EXPECT_EQ(client.ask({"SET", "soon", "1"}).text(), "OK");
    client.send({"SET", "late", "1"});
    EXPECT_FALSE(client.read(a_while));
    EXPECT_EQ(value("late"), "nil");
    EXPECT_EQ(connect().ask({"SET", "late", "2"}).text(), "OK") << "the next one may pass";
    proxy_.release();
    EXPECT_EQ(client.read().value().text(), "OK");
    EXPECT_EQ(value("late"), "1");
}

TEST_F(proxy_late_requests, hold_back_later_requests) {
    auto client = connect();
    proxy_.hold_requests({.with = "first"});
    client.send({"APPEND", "k", "first"});
    client.send({"APPEND", "k", "+second"});
    EXPECT_FALSE(client.read(a_while));
    proxy_.release();
    EXPECT_EQ(client.read().value().number(), 5);
    EXPECT_EQ(client.read().value().number(), 12);
    EXPECT_EQ(value("k"), "first+second");
}

// A client that gives up on a lost acquire, takes and frees the lock on a new connection, and then
// finds that the first acquire has run last.
TEST_F(proxy_late_requests, arrive_last_although_their_client_has_closed) {
    proxy_.hold_requests({.with = "lock"});
    {
        auto given_up = connect();
        given_up.send({"SET", "lock", "first", "NX"});
        ASSERT_TRUE(one_is_held());
    }
    auto again = connect();
    EXPECT_EQ(again.ask({"SET", "lock", "second", "NX"}).text(), "OK");
    EXPECT_EQ(again.ask({"DEL", "lock"}).number(), 1);
    EXPECT_EQ(value("lock"), "nil");
    proxy_.release();
    EXPECT_TRUE(eventually([&] { return value("lock") == "first"; }));
    EXPECT_TRUE(eventually([&] { return clients_at_server() == 1; })) << "and then it is gone";
}

TEST_F(proxy_late_requests, survive_a_cut) {
    auto client = connect();
    proxy_.hold_requests();
    client.send({"SET", "k", "v"});
    ASSERT_TRUE(one_is_held());
    proxy_.cut();
    EXPECT_TRUE(client.closes());
    EXPECT_EQ(value("k"), "nil");
    proxy_.release();
    EXPECT_TRUE(eventually([&] { return value("k") == "v"; }));
}

TEST_F(proxy_late_requests, are_not_answered_by_a_push) {
    auto listener = inbox("first");
    proxy_.hold_requests({.with = "second"});
    listener.send({"SUBSCRIBE", "second"});
    ASSERT_TRUE(one_is_held());
    server.command({"PUBLISH", "first", "x"});
    EXPECT_EQ(listener.read().value().text(), "[message, first, x]");
    const auto seen = proxy_.counts();
    EXPECT_EQ(seen.answers, 1U);
    EXPECT_EQ(seen.pushes, 1U);
    proxy_.release();
    EXPECT_EQ(listener.read().value().text(), "[subscribe, second, 2]");
}

TEST_F(proxy_late_requests, are_as_many_as_the_filter_says) {
    proxy_.hold_requests({.times = 2});
    auto one = connect();
    auto two = connect();
    auto three = connect();
    one.send({"INCR", "n"});
    two.send({"INCR", "n"});
    ASSERT_TRUE(eventually([&] { return proxy_.counts().held == 2; }));
    EXPECT_EQ(three.ask({"INCR", "n"}).number(), 1);
    proxy_.release();
    EXPECT_EQ(one.read().value().number() + two.read().value().number(), 2 + 3);
}

} // namespace

} // namespace holdfast::test
