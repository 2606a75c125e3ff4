#pragma once
// A fixture: Redis servers that form a quorum, and can be killed, frozen and restarted.

#include "support/background.hpp"
#include "support/redis_server.hpp"
#include "support/timing.hpp"

#include <holdfast/holdfast.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <string>

namespace holdfast::test {

class redlock_fault : public testing::Test {
protected:
    explicit redlock_fault(int count = 5) {
        for (int at = 0; at < count; ++at) { servers.emplace_back(); }
    }

    /// `query` is e.g. "?max_lease=2000".
    [[nodiscard]] std::string url(const std::string& query = "?rejoin_delay=no") const {
        std::string hosts;
        for (const auto& server : servers) {
            hosts += (hosts.empty() ? "" : ",") + ("127.0.0.1:" + std::to_string(server.port()));
        }
        return "redlock://" + hosts + query;
    }
    [[nodiscard]] client connect(client_options options = {}) const {
        return client{url(), std::move(options)};
    }
    /// How many of the servers that run have a vote for a name.
    [[nodiscard]] int votes(const std::string& name = "stock") {
        int count = 0;
        for (auto& server : servers) {
            if (server.pid() == 0) { continue; } // dead
            client direct{server.url()};
            const auto seen = admin{direct}.inspect(name);
            if (seen && !seen->holders.empty()) { ++count; }
        }
        return count;
    }

    std::deque<redis_server> servers;
};

} // namespace holdfast::test
