#pragma once
// A store of the quorum engine: three Redis servers of its own.

#include "support/engines.hpp"
#include "support/redis_server.hpp"

#include <array>
#include <string>

namespace holdfast::test {

class redlock_store final : public store {
public:
    /// Leases up to a day, and no delay after lost data: the servers are new.
    [[nodiscard]] std::string url() const override {
        std::string hosts;
        for (const auto& server : servers_) {
            hosts += (hosts.empty() ? "" : ",") + ("127.0.0.1:" + std::to_string(server.port()));
        }
        return "redlock://" + hosts + "?max_lease=86400000&rejoin_delay=no";
    }
    /// All servers: two of them would be enough.
    [[nodiscard]] bool hang() override {
        for (auto& server : servers_) { server.pause(); }
        return true;
    }
    void resume() override {
        for (auto& server : servers_) { server.resume(); }
    }
    [[nodiscard]] bool lose_data() override {
        for (auto& server : servers_) { server.flush_all(); }
        return true;
    }

private:
    std::array<redis_server, 3> servers_;
};

} // namespace holdfast::test
