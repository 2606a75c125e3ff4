#pragma once
// The fixture of the proxy's tests: a server, a proxy in front of it, and raw connections.

#include "proxy/proxy.hpp"
#include "support/redis_raw.hpp"
#include "support/redis_server.hpp"
#include "support/timing.hpp"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::test {

/// How long a test checks that nothing arrives.
inline constexpr milliseconds a_while = 30ms;

class proxy_fixture : public testing::Test {
protected:
    [[nodiscard]] redis_raw connect() const { return redis_raw{proxy_.port()}; }

    /// A connection that subscribes to a channel, like Holdfast's clients.
    [[nodiscard]] redis_raw inbox(const std::string& channel) const {
        auto out = connect();
        out.send({"CLIENT", "REPLY", "SKIP"});
        out.send({"HELLO", "3"});
        EXPECT_EQ(out.ask({"SUBSCRIBE", channel}).text(), "[subscribe, " + channel + ", 1]");
        return out;
    }

    /// Read directly from the server, not through the proxy.
    [[nodiscard]] std::string value(const std::string& key) {
        return server.command({"GET", key}).text();
    }
    /// Without the connection of this query.
    [[nodiscard]] std::int64_t clients_at_server() { return server.stat("connected_clients") - 1; }

    redis_server server;
    proxy proxy_{server.port()};
};

} // namespace holdfast::test
