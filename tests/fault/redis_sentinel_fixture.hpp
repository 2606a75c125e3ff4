#pragma once
// A fixture: a master with two replicas, and three sentinels.

#include "support/background.hpp"
#include "support/recording_observer.hpp"
#include "support/sentinel_group.hpp"
#include "support/timing.hpp"

#include <holdfast/holdfast.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <system_error>

namespace holdfast::test {

class sentinel_fault : public testing::Test {
protected:
    explicit sentinel_fault(sentinel_group_options options = {}) : group{std::move(options)} {}

    [[nodiscard]] client connect(const std::string& query = {}, client_options options = {}) const {
        return client{group.url(query), std::move(options)};
    }
    /// The holders of a name, according to this server.
    [[nodiscard]] static std::size_t holders(const redis_server& server,
                                             const std::string& name = "stock") {
        client direct{server.url()};
        const auto seen = admin{direct}.inspect(name);
        return seen ? seen->holders.size() : 0;
    }
    /// How many clients wait for a name on the present master.
    [[nodiscard]] bool will_wait(std::size_t count, const std::string& name = "stock") {
        client direct{group.master().url()};
        return eventually([&] {
            const auto seen = admin{direct}.inspect(name);
            return (seen ? seen->waiters.size() : 0) == count;
        });
    }
    /// Waits until the replicas have executed all that the master has. After a planned failover,
    /// sentinels leave the former master alone for some ten seconds before they demote it.
    [[nodiscard]] bool is_replicated() {
        return eventually([&] { return group.master().is_replicated_to(2); }, 3 * long_wait);
    }

    sentinel_group group;
};

/// Tries to take a lock; what the failure says, or "no error".
struct attempt_result {
    std::error_code code{};
    std::string text = "no error";
    milliseconds took{0};
};

[[nodiscard]] inline attempt_result attempt(client& client, const std::string& name = "stock") {
    attempt_result out;
    const stopwatch watch;
    try {
        if (mutex lock{client, name}; lock.try_lock()) { lock.unlock(); }
    } catch (const error& thrown) { out = {thrown.code(), thrown.what()}; }
    out.took = watch.elapsed();
    return out;
}

} // namespace holdfast::test
