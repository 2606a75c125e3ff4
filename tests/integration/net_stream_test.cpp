// Streams over real sockets of this machine.

#include "holdfast/net/plain_stream.hpp"
#include "support/background.hpp"
#include "support/net_driver.hpp"
#include "support/net_listener.hpp"
#include "support/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <system_error>

// compiled alone: other files of the folder have helpers of the same names

namespace holdfast::test {
namespace {

using net::endpoint;
using net::stream;

endpoint at(const listener& server, const std::string& host = "127.0.0.1") {
    return {.host = host, .port = server.port()};
}

int option(int socket, int level, int name) {
    int value = -1;
    socklen_t size = sizeof value;
    return ::getsockopt(socket, level, name, &value, &size) == 0 ? value : -1;
}

/// Whether the two can speak to each other.
void expect_talk(stream& client, const listener& server) {
    open(client);
    ASSERT_EQ(describe(client), "open");
    const auto peer = server.accept();
    ASSERT_TRUE(peer);
    EXPECT_EQ(write_all(client, "ping"), 4U);
    EXPECT_EQ(receive(peer.get(), 4), "ping");
    send_all(peer.get(), "pong");
    EXPECT_EQ(read_some(client, 4), "pong");
    EXPECT_EQ(describe(client), "open");
}

TEST(net_stream, speaks_over_tcp) {
    const listener server;
    const auto client = stream::start(at(server));
    expect_talk(*client, server);
    EXPECT_GE(client->plain_descriptor(), 0);
}

TEST(net_stream, speaks_over_ipv6) {
    try {
        const listener server{"::1"};
        const auto client = stream::start(at(server, "::1"));
        expect_talk(*client, server);
    } catch (const std::system_error& problem) {
        GTEST_SKIP() << "THIS MACHINE HAS NO IPv6, so nothing was tested: " << problem.what();
    }
}

TEST(net_stream, speaks_over_a_unix_socket) {
    const scratch_folder folder;
    const listener server{folder / "socket"};
    const auto client = stream::start({.unix_path = folder / "socket"});
    expect_talk(*client, server);
}

TEST(net_stream, looks_a_host_name_up) {
    const listener server;
    const auto client = stream::start(at(server, "localhost"));
    EXPECT_EQ(describe(*client), "opening: looking up the host name");
    expect_talk(*client, server);
}

TEST(net_stream, has_a_socket_that_is_closed_on_exec_and_kept_alive_and_does_not_delay) {
    const listener server;
    const auto client = stream::start(at(server));
    open(*client);
    const int socket = client->plain_descriptor();
    EXPECT_EQ(::fcntl(socket, F_GETFD), FD_CLOEXEC);
    EXPECT_EQ(option(socket, IPPROTO_TCP, TCP_NODELAY), 1);
    EXPECT_EQ(option(socket, SOL_SOCKET, SO_KEEPALIVE), 1);
    EXPECT_EQ(option(socket, IPPROTO_TCP, TCP_KEEPIDLE), 15);
}

TEST(net_stream, lets_others_wait_at_its_socket_for_a_moment_but_does_not_wait_itself) {
    const listener server;
    const auto client = stream::start(at(server));
    open(*client);
    char one = 0;
    const auto wait = quickest_of(5, [&] {
        const stopwatch clock;
        EXPECT_EQ(::recv(client->plain_descriptor(), &one, 1, 0), -1);
        return clock.elapsed();
    });
    EXPECT_GE(wait, 2ms);
    EXPECT_LT(wait, 100ms);
    EXPECT_LT(quickest_of(5,
                          [&] {
                              const stopwatch clock;
                              EXPECT_EQ(client->read(std::span{&one, 1}), 0U);
                              return clock.elapsed();
                          }),
              2ms);
    EXPECT_EQ(describe(*client), "open");
}

TEST(net_stream, says_that_nobody_listens) {
    const auto client = stream::start({.host = "127.0.0.1", .port = closed_port()});
    open(*client);
    EXPECT_EQ(describe(*client), "failed: connection refused: does the server run there?");
    EXPECT_EQ(client->pollable().fd, -1);
}

TEST(net_stream, says_that_a_unix_socket_is_not_there) {
    const scratch_folder folder;
    const auto client = stream::start({.unix_path = folder / "socket"});
    EXPECT_EQ(describe(*client), "failed: no such file or directory");
}

TEST(net_stream, refuses_a_unix_path_that_is_too_long) {
    const auto client = stream::start({.unix_path = "/" + std::string(150, 'x')});
    EXPECT_EQ(describe(*client), "failed for good: the path of a unix socket has at most 107 "
                                 "bytes, and this one has 151");
}

TEST(net_stream, says_that_the_queue_of_a_unix_socket_is_full) {
    const scratch_folder folder;
    const listener server{folder / "socket", 0};
    std::vector<std::unique_ptr<stream>> crowd;
    do {
        crowd.push_back(stream::start({.unix_path = folder / "socket"}));
    } while (crowd.back()->state() == net::stream_state::open && crowd.size() < 10);
    EXPECT_EQ(describe(*crowd.back()),
              "failed: too many connections wait for the server to accept them");
}

TEST(net_stream, says_that_a_host_is_not_known) {
    const auto client = stream::start({.host = "no-such-host.invalid", .port = 1});
    open(*client, 4 * long_wait);
    const std::string start = "failed: host name \"no-such-host.invalid\" is not known: ";
    EXPECT_EQ(describe(*client).substr(0, start.size()), start);
    EXPECT_GT(describe(*client).size(), start.size());
}

TEST(net_stream, does_not_cut_a_host_name_at_a_zero_byte) {
    const listener server;
    const auto client = stream::start(at(server, std::string{"127.0.0.1\0.example.org", 22}));
    open(*client);
    EXPECT_EQ(describe(*client), "failed: host name \"127.0.0.1\\x00.example.org\" is not known: "
                                 "it holds a zero byte");
}

TEST(net_stream, gives_what_was_sent_before_the_server_closed) {
    const listener server;
    const auto client = stream::start(at(server));
    open(*client);
    send_all(server.accept().get(), "bye");
    EXPECT_EQ(read_to_end(*client), "bye");
    EXPECT_EQ(describe(*client), "failed: the server closed the connection");
    EXPECT_EQ(client->pollable().fd, -1);
    EXPECT_EQ(client->write(std::span{"x", 1}), 0U);
}

TEST(net_stream, gives_the_last_words_of_a_server_that_no_longer_listens) {
    const listener server;
    const auto client = stream::start(at(server));
    open(*client);
    auto peer = server.accept();
    ASSERT_EQ(write_all(*client, "never read"), 10U);
    send_all(peer.get(), "go away");
    peer.reset(); // with bytes that it has not read, so the connection is reset
    ASSERT_TRUE(is_ready(*client, long_wait));
    ASSERT_TRUE(eventually([&] { // the first write meets the error
        return client->write(std::span{"x", 1}) == 0;
    }));
    EXPECT_EQ(describe(*client), "open");
    EXPECT_EQ(read_to_end(*client), "go away");
    EXPECT_EQ(describe(*client).substr(0, 8), "failed: ");
}

TEST(net_stream, raises_no_sigpipe) {
    const scratch_folder folder;
    const listener server{folder / "socket"}; // which would raise it at the first opportunity
    const auto client = stream::start({.unix_path = folder / "socket"});
    server.accept().reset();
    EXPECT_EQ(write_all(*client, "one"), 0U);
    EXPECT_EQ(describe(*client), "failed: broken pipe");
}

TEST(net_stream, takes_only_as_much_as_there_is_room_for) {
    const listener server;
    const auto client = stream::start(at(server));
    open(*client);
    const auto peer = server.accept();
    const std::string sent = many_bytes(32U << 20U);

    const auto taken = fill(*client, sent); // nobody reads: it must stop
    ASSERT_LT(taken, sent.size());
    EXPECT_EQ(client->pollable().events, POLLIN | POLLOUT);
    EXPECT_FALSE(is_ready(*client, 0ms));

    background slow_reader{
        [&](const std::stop_token&) { return receive(peer.get(), sent.size()); }};
    EXPECT_EQ(write_all(*client, std::string_view{sent}.substr(taken)), sent.size() - taken);
    EXPECT_TRUE(slow_reader.get() == sent);
    EXPECT_EQ(client->pollable().events, POLLIN);
}

TEST(net_stream, reads_many_bytes) {
    const listener server;
    const auto client = stream::start(at(server));
    open(*client);
    const auto peer = server.accept();
    const std::string sent = many_bytes(4U << 20U);
    background writer{[&](const std::stop_token&) { return send_all(peer.get(), sent), true; }};
    EXPECT_TRUE(read_some(*client, sent.size()) == sent);
    EXPECT_TRUE(writer.get());
}

#if !HOLDFAST_WITH_TLS
TEST(net_stream, says_that_there_is_no_tls_in_this_build) {
    const listener server;
    const auto client = stream::start({.host = "localhost", .port = server.port(), .tls = {{}}});
    EXPECT_EQ(describe(*client), "failed for good: this build of Holdfast has no TLS");
}
#endif

} // namespace
} // namespace holdfast::test
