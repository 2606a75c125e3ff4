// Connections that are cut, refused or silent.

#include "proxy/proxy_fixture.hpp"

#include <system_error>

namespace holdfast::test {

namespace {

class proxy_connections : public proxy_fixture {};

TEST_F(proxy_connections, are_reset_when_cut) {
    auto client = connect();
    client.ask({"PING"});
    proxy_.cut();
    EXPECT_TRUE(client.closes());
    EXPECT_TRUE(client.was_reset());
    EXPECT_TRUE(eventually([&] { return clients_at_server() == 0; }));
    EXPECT_EQ(connect().ask({"PING"}).text(), "PONG") << "new ones are served";
}

TEST_F(proxy_connections, may_be_closed_in_order) {
    auto client = connect();
    client.ask({"PING"});
    proxy_.cut(ending::close);
    EXPECT_TRUE(client.closes());
    EXPECT_FALSE(client.was_reset());
}

TEST_F(proxy_connections, are_refused_until_serve_new) {
    auto client = connect();
    client.ask({"PING"});
    proxy_.refuse_new();
    EXPECT_THROW(static_cast<void>(connect()), std::system_error);
    EXPECT_EQ(client.ask({"PING"}).text(), "PONG") << "those that are there stay";
    proxy_.serve_new();
    EXPECT_EQ(connect().ask({"PING"}).text(), "PONG");
}

TEST_F(proxy_connections, are_accepted_and_never_answered) {
    proxy_.silence_new();
    auto client = connect();
    client.send({"SET", "k", "v"});
    EXPECT_FALSE(client.read(a_while));
    EXPECT_FALSE(client.closes(0ms));
    EXPECT_EQ(value("k"), "nil");
    EXPECT_EQ(clients_at_server(), 0);
    proxy_.heal();
    EXPECT_EQ(connect().ask({"PING"}).text(), "PONG");
    EXPECT_FALSE(client.read(a_while)) << "silence lasts";
}

TEST_F(proxy_connections, forward_nothing_when_half_open) {
    auto client = connect();
    client.ask({"PING"});
    proxy_.half_open();
    client.send({"SET", "k", "v"});
    EXPECT_FALSE(client.read(a_while));
    EXPECT_EQ(value("k"), "nil");
    EXPECT_FALSE(client.closes(0ms));
    EXPECT_EQ(connect().ask({"PING"}).text(), "PONG") << "new ones are served";
}

TEST_F(proxy_connections, hide_the_close_of_either_side_when_half_open) {
    auto client = connect();
    auto listener = inbox("c");
    client.ask({"PING"});
    proxy_.half_open();
    listener.close();
    EXPECT_TRUE(throughout(a_while, [&] { return clients_at_server() == 2; }));
    EXPECT_EQ(server.command({"PUBLISH", "c", "x"}).number(), 1) << "nobody hears it";
    server.kill();
    EXPECT_FALSE(client.closes(a_while));
    proxy_.cut();
    EXPECT_TRUE(client.closes());
}

} // namespace

} // namespace holdfast::test
