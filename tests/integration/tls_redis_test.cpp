// Streams to a real Redis server that speaks TLS.

#include "holdfast/net/stream.hpp"
#include "support/net_driver.hpp"
#include "support/redis_server.hpp"
#include "support/scratch_folder.hpp"
#include "support/tls_server.hpp"

#include <gtest/gtest.h>

// compiled alone: other files of the folder have helpers of the same names

namespace holdfast::test {
namespace {

using net::stream;
using net::tls_options;

class tls_redis : public testing::Test {
protected:
    const scratch_folder here_;
    tls_authority authority_{here_.path()};

    /// What the server answers to PING, or why not.
    [[nodiscard]] std::string ping(const redis_server& server, const tls_options& terms) const {
        const auto client =
            stream::start({.host = "localhost", .port = server.port(), .tls = terms});
        open(*client);
        write_all(*client, "PING\r\n");
        const auto answer = read_some(*client, 7);
        return answer.empty() ? describe(*client) : answer;
    }
};

TEST_F(tls_redis, answers_those_who_trust_it) {
    const redis_server server{tls_server(authority_)};
    EXPECT_EQ(ping(server, {.ca_file = authority_.ca_file()}), "+PONG\r\n");
    EXPECT_EQ(ping(server, {}),
              "failed for good: the server's certificate is not from an authority that "
              "is trusted here");
    EXPECT_EQ(ping(server, {.ca_file = authority_.ca_file(), .server_name = "other"}),
              "failed for good: the server's certificate is not for \"other\"");
}

TEST_F(tls_redis, speaks_nothing_else_on_its_port) {
    redis_server server{tls_server(authority_)};
    EXPECT_EQ(server.url(), "rediss://127.0.0.1:" + std::to_string(server.port()));
    redis_raw plain{server.port()};
    plain.send({"PING"});
    EXPECT_TRUE(plain.closes());
    EXPECT_EQ(server.command({"PING"}).text(), "PONG") << "the test's own way is open";
}

TEST_F(tls_redis, answers_clients_with_a_certificate) {
    const redis_server server{tls_server(authority_, "yes")};
    const auto mine = authority_.issue("client");
    EXPECT_EQ(ping(server, {.ca_file = authority_.ca_file(),
                            .certificate = mine.certificate,
                            .private_key = mine.private_key}),
              "+PONG\r\n");
    EXPECT_EQ(ping(server, {.ca_file = authority_.ca_file()}),
              "failed for good: the server demands a client certificate");
}

// It takes the client's first message for the beginning of a command, and waits for the rest. Only
// who loses patience can tell.
TEST_F(tls_redis, is_silent_when_it_has_no_tls) {
    const redis_server server;
    const auto client =
        stream::start({.host = "127.0.0.1", .port = server.port(), .tls = tls_options{}});
    open(*client, 100ms);
    EXPECT_EQ(describe(*client), "opening: TLS handshake");
}

} // namespace
} // namespace holdfast::test
