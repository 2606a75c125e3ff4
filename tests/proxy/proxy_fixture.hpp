#pragma once
// A server, a proxy before it, and plain connections through it.

#include "proxy/proxy.hpp"
#include "support/redis_raw.hpp"
#include "support/redis_server.hpp"
#include "support/timing.hpp"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::test {

/// How long a test watches that nothing comes.
inline constexpr milliseconds a_while = 30ms;

class proxy_fixture : public testing::Test {
protected:
    [[nodiscard]] redis_raw connect() const { return redis_raw{between.port()}; }

    /// A connection that hears a channel, as our clients do.
    [[nodiscard]] redis_raw inbox(const std::string& channel) const {
        auto out = connect();
        out.send({"CLIENT", "REPLY", "SKIP"});
        out.send({"HELLO", "3"});
        EXPECT_EQ(out.ask({"SUBSCRIBE", channel}).text(), "[subscribe, " + channel + ", 1]");
        return out;
    }

    /// Asked behind the proxy's back.
    [[nodiscard]] std::string value(const std::string& key) {
        return server.command({"GET", key}).text();
    }
    /// Without the one that asks.
    [[nodiscard]] std::int64_t clients_at_server() { return server.stat("connected_clients") - 1; }

    redis_server server;
    proxy between{server.port()};
};

} // namespace holdfast::test
