// Streams over TLS, against a server in the test: who is trusted, and who is not.

#include "holdfast/net/stream.hpp"
#include "holdfast/net/tls_authorities.hpp"
#include "support/background.hpp"
#include "support/child.hpp"
#include "support/net_driver.hpp"
#include "support/net_listener.hpp"
#include "support/scratch_folder.hpp"
#include "support/tls_certificates.hpp"
#include "support/tls_peer.hpp"

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

// compiled alone: other files of the folder have helpers of the same names

namespace holdfast::test {
namespace {

using net::stream;
using net::tls_options;

class tls_stream : public testing::Test {
protected:
    const scratch_folder folder_;
    tls_authority authority_{folder_.path()};
    const listener door_;

    [[nodiscard]] tls_options trusting() const { return {.ca_file = authority_.ca_file()}; }
    [[nodiscard]] net::endpoint at(const tls_options& terms, const std::string& host) const {
        return {.host = host, .port = door_.port(), .tls = terms};
    }

    struct meeting {
        std::string client{}; ///< how it has ended for the client
        std::string name{};   ///< that the server was asked for
    };
    /// Lets a client and a server with these terms exchange a word.
    [[nodiscard]] meeting meet(const tls_options& terms, const tls_peer_options& server,
                               const std::string& host = "127.0.0.1") const {
        background peer{[&](const std::stop_token&) {
            tls_peer self{door_.accept(), server};
            if (self.receive(4) == "ping") { self.send("pong"); }
            return self.requested_name();
        }};
        meeting out;
        {
            const auto client = stream::start(at(terms, host));
            open(*client);
            write_all(*client, "ping");
            const auto answer = read_some(*client, 4);
            out.client = answer == "pong" ? "pong" : describe(*client);
        } // the server waits for the client's end
        out.name = peer.get();
        return out;
    }
    [[nodiscard]] std::string outcome(const tls_options& terms, const tls_peer_options& server,
                                      const std::string& host = "127.0.0.1") const {
        return meet(terms, server, host).client;
    }
    /// Without a server: for what is wrong before there is a connection.
    [[nodiscard]] std::string at_once(const tls_options& terms) const {
        return describe(*stream::start(at(terms, "127.0.0.1")));
    }
    [[nodiscard]] std::string file_with(const std::string& name, const std::string& text) const {
        std::ofstream{folder_ / name} << text;
        return folder_ / name;
    }
};

TEST_F(tls_stream, trusts_a_server_by_its_address) {
    const auto met = meet(trusting(), {.identity = authority_.issue("server")});
    EXPECT_EQ(met.client, "pong");
    EXPECT_EQ(met.name, "") << "addresses are not asked for";
}

TEST_F(tls_stream, trusts_a_server_by_its_name_and_asks_for_it) {
    const auto met = meet(trusting(), {.identity = authority_.issue("server")}, "localhost");
    EXPECT_EQ(met.client, "pong");
    EXPECT_EQ(met.name, "localhost");
}

TEST_F(tls_stream, trusts_a_server_by_another_name_than_its_host_if_told_so) {
    auto terms = trusting();
    terms.server_name = "redis.example";
    const auto met =
        meet(terms, {.identity = authority_.issue("server", {.names = "DNS:redis.example"})});
    EXPECT_EQ(met.client, "pong");
    EXPECT_EQ(met.name, "redis.example");
}

TEST_F(tls_stream, speaks_tls_1_2) {
    const auto server = authority_.issue("server");
    EXPECT_EQ(outcome(trusting(), {.identity = server, .max_version = TLS1_2_VERSION}), "pong");
}

TEST_F(tls_stream, trusts_the_authorities_of_the_system) {
    const tls_peer_options server{.identity = authority_.issue("server")};
    EXPECT_EQ(outcome({}, server), "failed for good: the server's certificate is not from an "
                                   "authority that is trusted here");
    ::setenv("SSL_CERT_FILE", authority_.ca_file().c_str(), 1);
    EXPECT_EQ(outcome({}, server), "pong");
    EXPECT_EQ(outcome({}, server), "pong");
    // It notices that they are others now.
    const tls_authority other{folder_.path(), "other"};
    std::filesystem::rename(other.ca_file(), authority_.ca_file());
    EXPECT_NE(outcome({}, server), "pong");
    ::unsetenv("SSL_CERT_FILE");
}

TEST_F(tls_stream, reads_the_authorities_of_the_system_once) {
    EXPECT_EQ(net::system_authorities(), net::system_authorities());
    ASSERT_NE(net::system_authorities(), nullptr);
    EXPECT_EQ(in_child([mine = net::system_authorities()] {
                  return net::system_authorities() == mine ? "shared with a child" : "";
              }),
              "");
}

TEST_F(tls_stream, refuses_a_certificate_of_another_authority) {
    tls_authority other{folder_.path(), "other"};
    EXPECT_EQ(outcome(trusting(), {.identity = other.issue("server")}),
              "failed for good: the server's certificate is not from an authority that is trusted "
              "here");
}

TEST_F(tls_stream, refuses_a_certificate_for_another_name) {
    const tls_peer_options server{
        .identity = authority_.issue("localhost", {.names = "DNS:other.example,IP:127.0.0.2"})};
    EXPECT_EQ(outcome(trusting(), server, "localhost"),
              "failed for good: the server's certificate is not for \"localhost\"");
    EXPECT_EQ(outcome(trusting(), server, "127.0.0.1"),
              "failed for good: the server's certificate is not for \"127.0.0.1\"");
}

TEST_F(tls_stream, refuses_a_certificate_out_of_its_time) {
    const auto before = authority_.issue("old", {.from_days = -3, .to_days = -1});
    EXPECT_EQ(outcome(trusting(), {.identity = before}),
              "failed for good: the server's certificate has expired");
    const auto after = authority_.issue("new", {.from_days = 1, .to_days = 3});
    EXPECT_EQ(outcome(trusting(), {.identity = after}),
              "failed for good: the server's certificate is not yet valid");
}

TEST_F(tls_stream, trusts_anybody_if_told_so) {
    tls_authority other{folder_.path(), "other"};
    const auto worst =
        other.issue("server", {.names = "DNS:other.example", .from_days = -3, .to_days = -1});
    EXPECT_EQ(outcome({.verify = false}, {.identity = worst}), "pong");
}

TEST_F(tls_stream, gives_its_own_certificate) {
    auto terms = trusting();
    const auto client = authority_.issue("client");
    terms.certificate = client.certificate;
    terms.private_key = client.private_key;
    for (const int max_version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        EXPECT_EQ(outcome(terms, {.identity = authority_.issue("server"),
                                  .client_ca_file = authority_.ca_file(),
                                  .max_version = max_version}),
                  "pong");
    }
}

TEST_F(tls_stream, says_that_the_server_demands_a_certificate) {
    for (const int max_version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        EXPECT_EQ(outcome(trusting(), {.identity = authority_.issue("server"),
                                       .client_ca_file = authority_.ca_file(),
                                       .max_version = max_version}),
                  "failed for good: the server demands a client certificate");
    }
}

TEST_F(tls_stream, says_that_the_server_refuses_its_certificate) {
    tls_authority other{folder_.path(), "other"};
    const auto client = other.issue("client");
    auto terms = trusting();
    terms.certificate = client.certificate;
    terms.private_key = client.private_key;
    for (const int max_version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        EXPECT_EQ(outcome(terms, {.identity = authority_.issue("server"),
                                  .client_ca_file = authority_.ca_file(),
                                  .max_version = max_version}),
                  "failed for good: the server refuses the client certificate: tlsv1 alert unknown "
                  "ca");
    }
}

TEST_F(tls_stream, refuses_old_versions_of_tls) {
    EXPECT_EQ(outcome(trusting(),
                      {.identity = authority_.issue("server"), .max_version = TLS1_1_VERSION}),
              "failed for good: the server speaks no TLS of version 1.2 or newer");
}

TEST_F(tls_stream, says_what_is_wrong_with_the_ca_file) {
    const std::string file = folder_ / "x.pem";
    const std::string start = "failed for good: the CA file \"" + file + "\" ";
    EXPECT_EQ(at_once({.ca_file = file}), start + "cannot be read: no such file or directory");
    (void)file_with("x.pem", "no certificate");
    EXPECT_EQ(at_once({.ca_file = file}), start + "holds no certificate in PEM");
    std::filesystem::remove(file);
    std::filesystem::create_directory(file);
    EXPECT_EQ(at_once({.ca_file = file}), start + "cannot be read: is a directory");
}

TEST_F(tls_stream, says_what_is_wrong_with_its_own_certificate) {
    const auto mine = authority_.issue("client");
    const auto other = authority_.issue("other");
    const auto text = file_with("text", "no key");
    const auto secret = encrypted_copy(mine.private_key);
    const auto with = [&](const std::string& certificate, const std::string& key) {
        return at_once({.certificate = certificate, .private_key = key});
    };
    const std::string start = "failed for good: ";
    EXPECT_EQ(with(mine.certificate, ""),
              start + "there is a client certificate but no private key for it");
    EXPECT_EQ(with("", mine.private_key),
              start + "there is a private key but no client certificate for it");
    EXPECT_EQ(with("/none", mine.private_key),
              start + "the client certificate \"/none\" cannot be read: no such file or directory");
    EXPECT_EQ(with(text, mine.private_key),
              start + "the client certificate \"" + text + "\" holds no certificate in PEM");
    EXPECT_EQ(with(mine.certificate, "/none"),
              start + "the private key \"/none\" cannot be read: no such file or directory");
    EXPECT_EQ(with(mine.certificate, text),
              start + "the private key \"" + text + "\" holds no private key in PEM");
    EXPECT_EQ(with(mine.certificate, secret),
              start + "the private key \"" + secret + "\" is encrypted, which is not supported");
    EXPECT_EQ(with(mine.certificate, other.private_key),
              start + "the private key \"" + other.private_key +
                  "\" does not belong to the certificate \"" + mine.certificate + "\"");
}

TEST_F(tls_stream, demands_a_name_that_a_certificate_can_bear) {
    const auto where = folder_ / "socket";
    const listener door{where};
    auto terms = trusting();
    EXPECT_EQ(describe(*stream::start({.unix_path = where, .tls = terms})),
              "failed for good: there is no server name that the certificate could bear");
    terms.server_name = std::string{"localhost\0.example", 18};
    EXPECT_EQ(at_once(terms), "failed for good: the server name \"localhost\\x00.example\" holds a "
                              "zero byte");
}

} // namespace
} // namespace holdfast::test
