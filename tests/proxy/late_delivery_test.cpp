// Delayed connections, and requests that arrive twice.

#include "proxy/proxy_fixture.hpp"

namespace holdfast::test {

namespace {

constexpr milliseconds some_time = 80ms;

late_delivery_terms all_delayed(unsigned seed) {
    return {.seed = seed, .one_delayed_in = 1, .least = some_time, .most = some_time};
}

redis_reply request(const std::string& command) {
    return {redis_reply::list{redis_reply{command}}};
}

class proxy_late_delivery : public proxy_fixture {};

TEST_F(proxy_late_delivery, of_a_connection_comes_after_requests_of_newer_ones) {
    for (unsigned seed = 1; seed <= 4; ++seed) { // however it ends for the client
        auto given_up = connect();
        EXPECT_EQ(given_up.ask({"PING"}).text(), "PONG");
        proxy_.deliver_late(all_delayed(seed));
        given_up.send({"SET", "k", "old"});
        ASSERT_TRUE(eventually([&] { return proxy_.counts().delayed == seed; }));
        proxy_.heal();
        EXPECT_EQ(connect().ask({"SET", "k", "new"}).text(), "OK");
        EXPECT_EQ(value("k"), "new");
        EXPECT_TRUE(eventually([&] { return value("k") == "old"; })) << "it arrives last";
        EXPECT_FALSE(given_up.read(0ms)) << "and nobody hears of it";
    }
}

TEST_F(proxy_late_delivery, survives_a_close_of_the_client_and_a_cut) {
    proxy_.deliver_late(all_delayed(1));
    {
        auto given_up = connect();
        given_up.send({"SET", "k", "1"});
        ASSERT_TRUE(eventually([&] { return proxy_.counts().delayed == 1; }));
    }
    proxy_.cut();
    EXPECT_TRUE(eventually([&] { return value("k") == "1"; }));
    EXPECT_TRUE(eventually([&] { return clients_at_server() == 0; })) << "and then it is gone";
}

TEST_F(proxy_late_delivery, delivers_a_copy_a_second_time) {
    proxy_.deliver_late({.one_repeated_in = 1, .least = some_time, .most = some_time});
    auto client = connect();
    EXPECT_EQ(client.ask({"SET", "k", "1"}).text(), "OK") << "the request itself is in time";
    proxy_.heal();
    EXPECT_EQ(client.ask({"SET", "k", "2"}).text(), "OK");
    EXPECT_TRUE(eventually([&] { return value("k") == "1"; }));
    EXPECT_EQ(proxy_.counts().repeated, 1U);
    EXPECT_EQ(client.ask({"PING"}).text(), "PONG") << "nobody is answered twice";
}

TEST_F(proxy_late_delivery, does_not_affect_requests_that_change_no_lock) {
    proxy_.deliver_late(all_delayed(1));
    auto client = connect();
    EXPECT_EQ(client.ask({"INCR", "n"}).number(), 1);
    EXPECT_EQ(proxy_.counts().delayed, 0U);
}

TEST(late_delivery, is_the_same_for_the_same_seed) {
    const late_delivery_terms terms{
        .seed = 7, .one_delayed_in = 3, .one_repeated_in = 4, .least = 1ms, .most = 1s};
    late_delivery one{terms};
    late_delivery two{terms};
    int delayed = 0;
    for (int i = 0; i < 300; ++i) {
        const bool late = one.delays(request("SET"));
        delayed += late ? 1 : 0;
        EXPECT_EQ(late, two.delays(request("SET")));
        EXPECT_EQ(one.repeats(request("evalsha")), two.repeats(request("evalsha")));
        EXPECT_EQ(one.delay(), two.delay());
    }
    EXPECT_NEAR(delayed, 100, 50);
}

} // namespace

} // namespace holdfast::test
