// Streams over TLS once they are open: much to send, odd moments, and servers that go away.

#include "holdfast/net/stream.hpp"
#include "support/background.hpp"
#include "support/net_driver.hpp"
#include "support/net_listener.hpp"
#include "support/scratch_folder.hpp"
#include "support/tls_certificates.hpp"
#include "support/tls_peer.hpp"

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <future>
#include <memory>
#include <sys/socket.h>
#include <unistd.h>

namespace holdfast::test {
namespace {

using net::stream;

/// A client and a server that have shaken hands.
class tls_traffic : public testing::Test {
protected:
    const scratch_folder folder_;
    tls_authority authority_{folder_.path()};
    listener door_;
    net::endpoint where_{.host = "127.0.0.1",
                         .port = door_.port(),
                         .tls = net::tls_options{.ca_file = authority_.ca_file()}};
    std::unique_ptr<tls_peer> server_;
    std::unique_ptr<stream> client_;
    int server_socket_ = -1;

    void connect(int max_version = 0) {
        const tls_peer_options options{.identity = authority_.issue("server"),
                                       .max_version = max_version};
        background peer{[&](const std::stop_token&) {
            auto socket = door_.accept();
            server_socket_ = socket.get();
            return std::make_unique<tls_peer>(std::move(socket), options);
        }};
        client_ = stream::start(where_);
        open(*client_);
        server_ = peer.get();
        ASSERT_EQ(describe(*client_), "open");
        ASSERT_EQ(server_->error(), "");
        // A server of TLS 1.3 sends tickets first, which are nothing to the reader.
        char none = 0;
        ASSERT_EQ(client_->read(std::span{&none, 1}), 0U);
    }

    void forget_server() {
        server_.reset();
        server_socket_ = -1;
    }
};

TEST_F(tls_traffic, takes_only_as_much_as_there_is_room_for) {
    connect();
    const std::string sent = many_bytes(32U << 20U);
    const auto taken = fill(*client_, sent);
    ASSERT_LT(taken, sent.size());
    EXPECT_EQ(client_->pollable().events, POLLIN | POLLOUT);
    EXPECT_FALSE(is_ready(*client_, 0ms));

    background reader{[&](const std::stop_token&) { return server_->receive(sent.size()); }};
    // From another place in memory, as an engine's buffer may have moved.
    const std::string rest = sent.substr(taken);
    EXPECT_EQ(write_all(*client_, rest), rest.size());
    EXPECT_TRUE(reader.get() == sent);
    EXPECT_EQ(client_->pollable().events, POLLIN);
}

TEST_F(tls_traffic, sends_and_receives_much_at_the_same_time) {
    for (const int max_version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        connect(max_version);
        const std::string bytes = many_bytes(4U << 20U);
        background echo{[&](const std::stop_token&) {
            for (std::size_t done = 0; done < bytes.size();) {
                const auto some =
                    server_->receive(std::min<std::size_t>(bytes.size() - done, 10'000));
                if (some.empty() || !server_->send(some)) { return false; }
                done += some.size();
            }
            return true;
        }};
        std::string got;
        std::string some(5'000, '\0');
        std::size_t sent = 0;
        do {
            sent += client_->write(std::span{bytes}.subspan(sent));
            for (std::size_t size = 0; (size = client_->read(some)) > 0;) {
                got.append(some, 0, size);
            }
        } while (got.size() < bytes.size() && is_ready(*client_, long_wait));
        EXPECT_EQ(describe(*client_), "open");
        EXPECT_TRUE(got == bytes);
        EXPECT_TRUE(echo.get());
    }
}

TEST_F(tls_traffic, gives_all_that_has_come_however_little_is_asked_for) {
    connect();
    const std::string sent = many_bytes(40'000); // three records
    ASSERT_TRUE(server_->send(sent));
    std::string got;
    while (got.size() < sent.size() && is_ready(*client_, long_wait)) {
        char one = 0;
        while (client_->read(std::span{&one, 1}) == 1) { got += one; }
    }
    EXPECT_TRUE(got == sent);
    EXPECT_FALSE(is_ready(*client_, 0ms));
}

TEST_F(tls_traffic, fills_a_large_buffer_or_has_no_more) {
    connect();
    ASSERT_TRUE(server_->send(std::string(1'000, 'a')));
    ASSERT_TRUE(server_->send(std::string(1'000, 'b')));
    std::string some(10'000, '\0');
    std::size_t size = 0;
    // A short answer means that poll will tell of the rest, wherever that is.
    while (size < 2'000 && is_ready(*client_, long_wait)) {
        size += client_->read(std::span{some}.subspan(size));
    }
    EXPECT_EQ(some.substr(0, size), std::string(1'000, 'a') + std::string(1'000, 'b'));
}

TEST_F(tls_traffic, changes_keys_while_it_cannot_send) {
    connect(TLS1_3_VERSION);
    const std::string sent = many_bytes(32U << 20U);
    auto taken = fill(*client_, sent);
    ASSERT_LT(taken, sent.size());
    // The client must answer this, and has no room for it now.
    ASSERT_TRUE(server_->update_keys());
    ASSERT_TRUE(server_->send("after"));
    std::string got;
    std::string some(100, '\0');
    ASSERT_TRUE(is_ready(*client_, long_wait));
    got.append(some, 0, client_->read(some));
    background reader{[&](const std::stop_token&) { return server_->receive(sent.size()); }};
    while ((taken < sent.size() || got.size() < 5) && is_ready(*client_, long_wait)) {
        client_->progress();
        got.append(some, 0, client_->read(some));
        taken += client_->write(std::span{sent}.subspan(taken));
        if (client_->state() != net::stream_state::open) { break; }
    }
    EXPECT_EQ(describe(*client_), "open");
    EXPECT_EQ(got.substr(0, 5), "after");
    EXPECT_TRUE(reader.get() == sent);
}

TEST_F(tls_traffic, changes_keys_although_nobody_writes) {
    connect(TLS1_3_VERSION);
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(server_->update_keys());
        ASSERT_TRUE(server_->send("after"));
        EXPECT_EQ(read_some(*client_, 5), "after");
        ASSERT_EQ(write_all(*client_, "new keys"), 8U);
        EXPECT_EQ(server_->receive(8), "new keys");
    }
}

TEST_F(tls_traffic, hears_the_servers_goodbye) {
    connect();
    ASSERT_TRUE(server_->send("bye"));
    server_->send_close_notify();
    EXPECT_EQ(read_to_end(*client_), "bye");
    EXPECT_EQ(describe(*client_), "failed: the server closed the connection");
    EXPECT_EQ(client_->pollable().fd, -1);
}

TEST_F(tls_traffic, notices_a_server_that_goes_without_a_word) {
    connect();
    forget_server();
    EXPECT_EQ(read_to_end(*client_), "");
    EXPECT_EQ(describe(*client_), "failed: the server closed the connection");
}

TEST_F(tls_traffic, survives_writing_to_a_server_that_is_gone) {
    connect();
    const linger abrupt{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(server_socket_, SOL_SOCKET, SO_LINGER, &abrupt, sizeof abrupt);
    forget_server(); // resets the connection
    ASSERT_TRUE(is_ready(*client_, long_wait));
    EXPECT_EQ(write_all(*client_, "one"), 0U);
    EXPECT_EQ(write_all(*client_, "two"), 0U);
    EXPECT_EQ(describe(*client_), "failed: connection reset by peer");
}

TEST_F(tls_traffic, raises_no_sigpipe) {
    door_ = listener{folder_ / "socket"}; // which would raise it at the first opportunity
    where_.unix_path = folder_ / "socket";
    where_.tls->server_name = "localhost";
    connect();
    forget_server();
    EXPECT_EQ(write_all(*client_, "one"), 0U);
    EXPECT_EQ(describe(*client_), "failed: broken pipe");
}

TEST_F(tls_traffic, gives_the_last_words_of_a_server_that_no_longer_listens) {
    connect();
    ASSERT_EQ(write_all(*client_, "never read"), 10U);
    ASSERT_TRUE(server_->send("go away"));
    forget_server(); // with bytes that it has not read, so the connection is reset
    ASSERT_TRUE(eventually([&] { return client_->write(std::span{"x", 1}) == 0; }));
    EXPECT_EQ(describe(*client_), "open");
    EXPECT_EQ(read_to_end(*client_), "go away");
    EXPECT_EQ(describe(*client_).substr(0, 8), "failed: ");
}

TEST_F(tls_traffic, says_goodbye_itself) {
    connect();
    client_.reset();
    EXPECT_EQ(server_->receive(1), "");
    EXPECT_EQ(server_->error(), "the connection ended"); // in order, so OpenSSL has no complaint
}

TEST_F(tls_traffic, waits_for_a_silent_server_without_blocking) {
    auto client = stream::start(where_);
    open(*client, 50ms);
    EXPECT_EQ(describe(*client), "opening: TLS handshake");
    const stopwatch clock;
    client.reset();
    EXPECT_LT(clock.elapsed(), scaled(1s));
}

TEST_F(tls_traffic, says_that_the_server_closed_during_the_handshake) {
    const auto client = stream::start(where_);
    const auto peer = door_.accept();
    ::shutdown(peer.get(), SHUT_WR);
    open(*client);
    EXPECT_EQ(describe(*client),
              "failed: the server closed the connection during the TLS handshake");
}

TEST_F(tls_traffic, says_that_the_server_speaks_something_else) {
    for (const std::string greeting :
         {"-ERR unknown command\r\n", "HTTP/1.1 400 Bad Request\r\n"}) {
        const auto client = stream::start(where_);
        const auto peer = door_.accept();
        send_all(peer.get(), greeting);
        open(*client);
        EXPECT_EQ(describe(*client), "failed for good: the server does not speak TLS on this port");
    }
}

} // namespace
} // namespace holdfast::test
