// A proxy that is told nothing is a network without faults.

#include "proxy/proxy_fixture.hpp"
#include "support/background.hpp"

#include <memory>
#include <vector>

namespace holdfast::test {

namespace {

class proxy_forwarding : public proxy_fixture {};

TEST_F(proxy_forwarding, brings_requests_to_the_server_and_answers_back) {
    auto client = connect();
    EXPECT_EQ(client.ask({"SET", "k", "v"}).text(), "OK");
    EXPECT_EQ(client.ask({"GET", "k"}).text(), "v");
    EXPECT_EQ(value("k"), "v");
    EXPECT_EQ(between.url(), "redis://127.0.0.1:" + std::to_string(between.port()));
}

TEST_F(proxy_forwarding, brings_more_than_a_socket_holds) {
    const std::string large(8 << 20, 'x');
    auto client = connect();
    EXPECT_EQ(client.ask({"SET", "k", large}).text(), "OK");
    EXPECT_EQ(client.ask({"GET", "k"}).text(), large);
}

TEST_F(proxy_forwarding, brings_other_protocols_as_they_come) {
    auto client = connect();
    client.send_bytes("PI"); // no line, as in a TLS handshake
    EXPECT_TRUE(eventually([&] { return between.counts().bytes_to_server == 2; }));
    client.send_bytes("NG\r\n");
    EXPECT_EQ(client.read().value().text(), "PONG");
}

TEST_F(proxy_forwarding, counts) {
    auto client = connect();
    client.ask({"PING"});
    client.ask({"PING"});
    const auto seen = between.counts();
    EXPECT_EQ(seen.connections, 1U);
    EXPECT_EQ(seen.open, 1U);
    EXPECT_EQ(seen.requests, 2U);
    EXPECT_EQ(seen.answers, 2U);
    EXPECT_EQ(seen.bytes_to_server, 2 * std::string_view{"*1\r\n$4\r\nPING\r\n"}.size());
    EXPECT_EQ(seen.bytes_to_client, 2 * std::string_view{"+PONG\r\n"}.size());
    client.close();
    EXPECT_TRUE(eventually([&] { return between.counts().open == 0; }));
    EXPECT_EQ(between.counts().requests, 2U) << "those of connections that are gone, too";
}

TEST_F(proxy_forwarding, lets_the_server_see_that_a_client_has_gone) {
    auto client = connect();
    client.ask({"PING"});
    ASSERT_EQ(clients_at_server(), 1);
    client.close();
    EXPECT_TRUE(eventually([&] { return clients_at_server() == 0; }));
}

TEST_F(proxy_forwarding, lets_a_client_see_that_the_server_has_gone) {
    auto client = connect();
    client.ask({"PING"});
    server.kill();
    EXPECT_TRUE(client.closes());
    EXPECT_TRUE(connect().closes()) << "one that comes later is let in, and put out";
}

TEST_F(proxy_forwarding, is_late_as_told) {
    auto client = connect();
    const auto time_of_ping = [&] {
        const stopwatch watch;
        client.ask({"PING"});
        return watch.elapsed();
    };
    between.delay(20ms, 0ms);
    EXPECT_GE(time_of_ping(), 20ms);
    between.delay(0ms, 20ms);
    EXPECT_GE(time_of_ping(), 20ms);
    between.delay(20ms, 20ms);
    EXPECT_GE(time_of_ping(), 40ms);
    between.delay(0ms, 0ms);
    EXPECT_LT(quickest_of(10, time_of_ping), 20ms);
}

TEST_F(proxy_forwarding, lets_nothing_overtake_what_is_late) {
    auto client = connect();
    between.delay(30ms, 0ms);
    client.send({"APPEND", "k", "a"});
    ASSERT_TRUE(eventually([&] { return between.counts().requests == 1; }));
    between.delay(0ms, 0ms);
    client.send({"APPEND", "k", "b"});
    EXPECT_EQ(client.read().value().number(), 1);
    EXPECT_EQ(client.read().value().number(), 2);
    EXPECT_EQ(value("k"), "ab");
}

TEST_F(proxy_forwarding, may_be_told_and_asked_by_all_while_it_works) {
    std::vector<std::unique_ptr<background<int>>> all;
    for (int i = 0; i < 3; ++i) {
        all.push_back(std::make_unique<background<int>>([&](const std::stop_token&) {
            auto client = connect();
            for (int n = 0; n < 100; ++n) { client.ask({"INCR", "n"}); }
            return 0;
        }));
        all.push_back(std::make_unique<background<int>>([&](const std::stop_token&) {
            for (int n = 0; n < 100; ++n) {
                between.drop_pushes();
                between.release();
                between.hold_requests({.with = "no such"});
                static_cast<void>(between.counts());
            }
            return 0;
        }));
    }
    for (auto& one : all) { one->get(); }
    EXPECT_EQ(value("n"), "300");
    EXPECT_EQ(between.counts().requests, 300U);
}

} // namespace

} // namespace holdfast::test
