// Streams to a real Redis server that speaks TLS.

#include "holdfast/net/stream.hpp"
#include "support/net_driver.hpp"
#include "support/net_listener.hpp"
#include "support/scene.hpp"
#include "support/tls_certificates.hpp"

#include <gtest/gtest.h>

namespace holdfast::test {
namespace {

using net::stream;
using net::tls_terms;

class tls_redis : public testing::Test {
protected:
    scene here_;
    tls_authority authority_{here_.file("").string()};
    const std::uint16_t port_ = closed_port();

    [[nodiscard]] running start(const words& more) {
        words command{"redis-server", "--bind", "127.0.0.1", "--save", "", "--dir"};
        command.push_back(here_.file("").string());
        command.insert(command.end(), more.begin(), more.end());
        auto out = here_.start(command);
        EXPECT_TRUE(eventually([&] {
            const auto probe = stream::start({.host = "127.0.0.1", .port = port_});
            open(*probe);
            return probe->now_in() == stream::state::open || out.over();
        })) << out.out();
        EXPECT_FALSE(out.over()) << out.out() << out.err();
        return out;
    }
    [[nodiscard]] running start_with_tls(const std::string& auth_clients) {
        const auto mine = authority_.issue("server");
        return start({"--port", "0", "--tls-port", std::to_string(port_), "--tls-cert-file",
                      mine.certificate, "--tls-key-file", mine.private_key, "--tls-ca-cert-file",
                      authority_.ca_file(), "--tls-auth-clients", auth_clients});
    }
    /// What the server answers to PING, or why not.
    [[nodiscard]] std::string ping(const tls_terms& how) const {
        const auto client = stream::start({.host = "localhost", .port = port_, .tls = how});
        open(*client);
        write_all(*client, "PING\r\n");
        const auto answer = read_some(*client, 7);
        return answer.empty() ? describe(*client) : answer;
    }
};

TEST_F(tls_redis, answers_those_who_trust_it) {
    const auto server = start_with_tls("no");
    EXPECT_EQ(ping({.ca_file = authority_.ca_file()}), "+PONG\r\n");
    EXPECT_EQ(ping({}), "failed for good: the server's certificate is not from an authority that "
                        "is trusted here");
    EXPECT_EQ(ping({.ca_file = authority_.ca_file(), .server_name = "other"}),
              "failed for good: the server's certificate is not for \"other\"");
}

TEST_F(tls_redis, answers_clients_with_a_certificate) {
    const auto server = start_with_tls("yes");
    const auto mine = authority_.issue("client");
    EXPECT_EQ(ping({.ca_file = authority_.ca_file(),
                    .certificate = mine.certificate,
                    .private_key = mine.private_key}),
              "+PONG\r\n");
    EXPECT_EQ(ping({.ca_file = authority_.ca_file()}),
              "failed for good: the server demands a client certificate");
}

// It takes the client's first message for the beginning of a command, and waits for the rest. Only
// who loses patience can tell.
TEST_F(tls_redis, is_silent_when_it_has_no_tls) {
    const auto server = start({"--port", std::to_string(port_)});
    const auto client = stream::start({.host = "127.0.0.1", .port = port_, .tls = tls_terms{}});
    open(*client, 100ms);
    EXPECT_EQ(describe(*client), "opening: TLS handshake");
}

} // namespace
} // namespace holdfast::test
