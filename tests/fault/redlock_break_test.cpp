// break_lock() on a quorum when replies of nodes are lost (P5).

#include "fault/redis_fixture.hpp"
#include "fault/redlock_fixture.hpp"

#include <deque>

namespace holdfast::test {
namespace {

class redlock_break : public redlock_fault {
protected:
    redlock_break() : redlock_fault{3} {
        for (const auto& server : servers) { proxies.emplace_back(server.port()); }
    }
    [[nodiscard]] client by_proxies(client_options options = {}) const {
        std::string hosts;
        for (const auto& each : proxies) {
            hosts += (hosts.empty() ? "" : ",") + ("127.0.0.1:" + std::to_string(each.port()));
        }
        return client{"redlock://" + hosts + "?rejoin_delay=no", std::move(options)};
    }

    std::deque<proxy> proxies;
};

// It failed with no_quorum, was sent again, and broke the lock of the next owner.
TEST_F(redlock_break, whose_replies_are_lost_is_not_repeated) {
    auto here = by_proxies();
    auto there = connect();
    const auto held = mutex{there, "stock"}.acquire();
    auto next = connect();
    background waiter{[&](std::stop_token stop) {
        return mutex{next, "stock"}.acquire({.stop = std::move(stop)});
    }};
    (void)admin{here}.inspect("stock"); // it is connected
    for (std::size_t at = 0; at < 2; ++at) {
        proxies[at].drop_answers({.with = call_of(scripts::break_lock)});
    }
    std::error_code failure;
    (void)admin{here}.break_lock("stock", {}, failure);
    EXPECT_EQ(failure, errc::unknown_outcome);
    const auto got = waiter.get();
    std::this_thread::sleep_for(300ms);
    EXPECT_TRUE(got.valid()) << "it was broken as well";
}

} // namespace
} // namespace holdfast::test
