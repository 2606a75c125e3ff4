// Pushes between answers, and their faults.

#include "proxy/proxy_fixture.hpp"

#include <set>
#include <stdexcept>

namespace holdfast::test {

namespace {

class proxy_pushes : public proxy_fixture {
protected:
    redis_raw client{inbox("c")};

    void publish(const std::string& text) { server.command({"PUBLISH", "c", text}); }
    [[nodiscard]] std::string next() { return client.read().value().text(); }
};

TEST_F(proxy_pushes, arrive_between_answers) {
    EXPECT_EQ(client.ask({"PING"}).text(), "PONG");
    publish("one");
    EXPECT_EQ(next(), "[message, c, one]");
    client.send({"SUBSCRIBE", "weather", "sport"});
    EXPECT_EQ(next(), "[subscribe, weather, 2]");
    EXPECT_EQ(next(), "[subscribe, sport, 3]");
    const auto seen = proxy_.counts();
    EXPECT_EQ(seen.requests, 5U);
    EXPECT_EQ(seen.answers, 4U) << "two requests were to have none";
    EXPECT_EQ(seen.pushes, 1U);
}

TEST_F(proxy_pushes, are_distinguished_from_the_answer_to_their_publisher) {
    client.send({"PUBLISH", "c", "to myself"});
    const std::set<std::string> both{next(), next()}; // which one is first depends on the server
    EXPECT_EQ(both, (std::set<std::string>{"1", "[message, c, to myself]"}));
    EXPECT_EQ(proxy_.counts().pushes, 1U);
}

TEST_F(proxy_pushes, are_dropped_silently) {
    proxy_.drop_pushes({.with = "lost"});
    publish("lost");
    publish("lost, too, if there were no limit");
    EXPECT_EQ(next(), "[message, c, lost, too, if there were no limit]");
    EXPECT_EQ(client.ask({"PING"}).text(), "PONG");
    const auto seen = proxy_.counts();
    EXPECT_EQ(seen.pushes, 2U);
    EXPECT_EQ(seen.dropped_pushes, 1U);
    EXPECT_EQ(seen.dropped, 0U) << "no answer is lost";
}

TEST_F(proxy_pushes, are_overtaken_while_they_are_held) {
    proxy_.hold_pushes({.times = for_good});
    publish("late");
    ASSERT_TRUE(eventually([&] { return proxy_.counts().held == 1; }));
    EXPECT_EQ(client.ask({"PING"}).text(), "PONG");
    proxy_.heal();
    publish("early");
    EXPECT_EQ(next(), "[message, c, early]");
    proxy_.release();
    EXPECT_EQ(next(), "[message, c, late]");
    EXPECT_EQ(proxy_.counts().held, 0U);
}

TEST_F(proxy_pushes, may_be_garbage) {
    proxy_.mangle_pushes(garbage::wrong_type);
    EXPECT_EQ(client.ask({"PING"}).text(), "PONG") << "no push";
    publish("anything");
    EXPECT_THROW(static_cast<void>(client.read()), std::runtime_error);
}

TEST_F(proxy_pushes, may_be_forged) {
    proxy_.inject(">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$4\r\nlies\r\n");
    EXPECT_EQ(next(), "[message, c, lies]");
    EXPECT_EQ(client.ask({"PING"}).text(), "PONG");
    EXPECT_EQ(proxy_.counts().pushes, 0U) << "the server sent none";
}

TEST_F(proxy_pushes, wait_behind_an_answer_that_is_held) {
    proxy_.hold_answers();
    client.send({"PING"});
    ASSERT_TRUE(eventually([&] { return proxy_.counts().held == 1; }));
    publish("next");
    EXPECT_FALSE(client.read(a_while));
    proxy_.release();
    EXPECT_EQ(next(), "PONG");
    EXPECT_EQ(next(), "[message, c, next]");
}

TEST_F(proxy_pushes, arrive_byte_by_byte) {
    proxy_.trickle();
    publish("one");
    publish("two");
    EXPECT_EQ(next(), "[message, c, one]");
    EXPECT_EQ(next(), "[message, c, two]");
    proxy_.heal();
    EXPECT_EQ(client.ask({"PING"}).text(), "PONG");
}

} // namespace

} // namespace holdfast::test
