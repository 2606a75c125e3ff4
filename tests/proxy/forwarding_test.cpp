// A proxy without faults forwards everything.

#include "proxy/proxy_fixture.hpp"
#include "support/background.hpp"

#include <memory>
#include <vector>

namespace holdfast::test {

namespace {

class proxy_forwarding : public proxy_fixture {};

TEST_F(proxy_forwarding, delivers_requests_and_answers) {
    auto client = connect();
    EXPECT_EQ(client.ask({"SET", "k", "v"}).text(), "OK");
    EXPECT_EQ(client.ask({"GET", "k"}).text(), "v");
    EXPECT_EQ(value("k"), "v");
    EXPECT_EQ(proxy_.url(), "redis://127.0.0.1:" + std::to_string(proxy_.port()));
}

TEST_F(proxy_forwarding, delivers_more_than_a_socket_buffer) {
    const std::string large(8 << 20, 'x');
    auto client = connect();
    EXPECT_EQ(client.ask({"SET", "k", large}).text(), "OK");
    EXPECT_EQ(client.ask({"GET", "k"}).text(), large);
}

TEST_F(proxy_forwarding, delivers_other_protocols_unchanged) {
    auto client = connect();
    client.send_bytes("PI"); // no line, as in a TLS handshake
    EXPECT_TRUE(eventually([&] { return proxy_.counts().bytes_to_server == 2; }));
    client.send_bytes("NG\r\n");
    EXPECT_EQ(client.read().value().text(), "PONG");
}

TEST_F(proxy_forwarding, counts_traffic) {
    auto client = connect();
    client.ask({"PING"});
    client.ask({"PING"});
    const auto seen = proxy_.counts();
    EXPECT_EQ(seen.connections, 1U);
    EXPECT_EQ(seen.open, 1U);
    EXPECT_EQ(seen.requests, 2U);
    EXPECT_EQ(seen.answers, 2U);
    EXPECT_EQ(seen.bytes_to_server, 2 * std::string_view{"*1\r\n$4\r\nPING\r\n"}.size());
    EXPECT_EQ(seen.bytes_to_client, 2 * std::string_view{"+PONG\r\n"}.size());
    client.close();
    EXPECT_TRUE(eventually([&] { return proxy_.counts().open == 0; }));
    EXPECT_EQ(proxy_.counts().requests, 2U) << "those of connections that are gone, too";
}

TEST_F(proxy_forwarding, closes_the_server_side_when_the_client_closes) {
    auto client = connect();
    client.ask({"PING"});
    ASSERT_EQ(clients_at_server(), 1);
    client.close();
    EXPECT_TRUE(eventually([&] { return clients_at_server() == 0; }));
}

TEST_F(proxy_forwarding, closes_the_client_side_when_the_server_closes) {
    auto client = connect();
    client.ask({"PING"});
    server.kill();
    EXPECT_TRUE(client.closes());
    EXPECT_TRUE(connect().closes()) << "one that comes later is let in, and put out";
}

TEST_F(proxy_forwarding, is_delayed_as_configured) {
    auto client = connect();
    const auto time_of_ping = [&] {
        const stopwatch watch;
        client.ask({"PING"});
        return watch.elapsed();
    };
    proxy_.delay(20ms, 0ms);
    EXPECT_GE(time_of_ping(), 20ms);
    proxy_.delay(0ms, 20ms);
    EXPECT_GE(time_of_ping(), 20ms);
    proxy_.delay(20ms, 20ms);
    EXPECT_GE(time_of_ping(), 40ms);
    proxy_.delay(0ms, 0ms);
    EXPECT_LT(quickest_of(10, time_of_ping), 20ms);
}

TEST_F(proxy_forwarding, keeps_the_order_of_delayed_bytes) {
    auto client = connect();
    proxy_.delay(30ms, 0ms);
    client.send({"APPEND", "k", "a"});
    ASSERT_TRUE(eventually([&] { return proxy_.counts().requests == 1; }));
    proxy_.delay(0ms, 0ms);
    client.send({"APPEND", "k", "b"});
    EXPECT_EQ(client.read().value().number(), 1);
    EXPECT_EQ(client.read().value().number(), 2);
    EXPECT_EQ(value("k"), "ab");
}

TEST_F(proxy_forwarding, can_be_controlled_from_several_threads) {
    std::vector<std::unique_ptr<background<int>>> all;
    for (int i = 0; i < 3; ++i) {
        all.push_back(std::make_unique<background<int>>([&](const std::stop_token&) {
            auto client = connect();
            for (int n = 0; n < 100; ++n) { client.ask({"INCR", "n"}); }
            return 0;
        }));
        all.push_back(std::make_unique<background<int>>([&](const std::stop_token&) {
            for (int n = 0; n < 100; ++n) {
                proxy_.drop_pushes();
                proxy_.release();
                proxy_.hold_requests({.with = "no such"});
                static_cast<void>(proxy_.counts());
            }
            return 0;
        }));
    }
    for (auto& one : all) { one->get(); }
    EXPECT_EQ(value("n"), "300");
    EXPECT_EQ(proxy_.counts().requests, 300U);
}

} // namespace

} // namespace holdfast::test
