// Restart safety of a quorum: a server that lost its data does not vote before every lease that it
// may have forgotten has ended.
#include "fault/redlock_fixture.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;

constexpr milliseconds max_lease = 1s;
constexpr milliseconds rejoin_delay = max_lease + 20ms + 2s; // as node_joiner.hpp says

class redlock_rejoin : public redlock_fault {
protected:
    redlock_rejoin() : redlock_fault{3} {}

    [[nodiscard]] client join_fleet() const {
        return client{url("?max_lease=" + std::to_string(max_lease.count())),
                      {.connect_wait = 2 * rejoin_delay}};
    }
    static lock_options terms() { return {.lease = max_lease}; }

    /// Tries `other` until `held` ends; whether the last attempt, which may outlast it, succeeded.
    static bool is_granted_after(const lease& held, mutex& other) {
        bool granted = false;
        while (!granted && held.valid()) {
            std::error_code ignored;
            granted = other.try_lock(ignored);
            EXPECT_FALSE(granted && held.valid()) << "P1";
        }
        return granted;
    }
};

TEST_F(redlock_rejoin, servers_that_have_just_started_vote_after_the_longest_lease) {
    client fleet{url("?max_lease=1000"), {.connect_wait = 200ms}};
    mutex stock{fleet, "stock", terms()};
    try {
        stock.lock();
        ADD_FAILURE() << "they may have forgotten leases";
    } catch (const error& thrown) {
        EXPECT_EQ(thrown.code(), errc::no_quorum);
        EXPECT_THAT(thrown.what(), HasSubstr("votes in"));
        EXPECT_THAT(thrown.what(), HasSubstr("max_lease is 1000 ms"));
    }
    std::error_code ignored;
    EXPECT_TRUE(eventually([&] { return stock.try_lock(ignored); }, 2 * rejoin_delay));
}

TEST_F(redlock_rejoin, nodes_that_lost_their_data_grant_nothing_while_a_lease_may_live) { // P1
    auto holders = join_fleet();
    auto rivals = join_fleet();
    mutex stock{holders, "stock", {.lease = max_lease, .renew = false}};
    mutex other{rivals, "stock", terms()};
    { const auto warm = other.acquire(); }
    const auto held = stock.acquire();
    servers[0].flush_all();
    servers[1].flush_all(); // a majority has forgotten the lock
    const bool granted = is_granted_after(held, other);
    EXPECT_TRUE(granted || eventually(
                               [&] {
                                   std::error_code ignored;
                                   return other.try_lock(ignored);
                               },
                               2 * rejoin_delay));
}

TEST_F(redlock_rejoin, a_restart_counts_as_lost_data) { // P1
    auto holders = join_fleet();
    auto rivals = join_fleet();
    mutex stock{holders, "stock", {.lease = max_lease, .renew = false}};
    mutex other{rivals, "stock", terms()};
    { const auto warm = other.acquire(); }
    const auto held = stock.acquire();
    servers[0].restart();
    servers[1].restart();
    is_granted_after(held, other);
}

TEST_F(redlock_rejoin, a_quorum_works_while_one_node_waits) {
    auto fleet = join_fleet();
    mutex stock{fleet, "stock", terms()};
    { const auto warm = stock.acquire(); }
    servers[2].restart();
    const stopwatch watch;
    for (int round = 0; round < 20; ++round) { const auto held = stock.acquire(); }
    EXPECT_LT(watch.elapsed(), scaled(1500ms));
}

TEST_F(redlock_rejoin, another_max_lease_is_refused_with_both) {
    auto fleet = join_fleet();
    { const auto held = mutex{fleet, "stock", terms()}.acquire(); }
    client other{url("?max_lease=3000")};
    mutex stock{other, "stock", terms()};
    try {
        stock.lock();
        ADD_FAILURE() << "locked";
    } catch (const error& thrown) {
        EXPECT_EQ(thrown.code(), errc::invalid_option);
        EXPECT_THAT(thrown.what(), HasSubstr("max_lease is 1 s"));
        EXPECT_THAT(thrown.what(), HasSubstr("3 s here"));
    }
}

TEST_F(redlock_rejoin, a_lease_above_max_lease_is_refused_with_the_options_name) {
    auto fleet = join_fleet();
    try {
        mutex stock{fleet, "stock", {.lease = 2s}};
        stock.lock();
        ADD_FAILURE() << "locked";
    } catch (const error& thrown) {
        EXPECT_EQ(thrown.code(), errc::invalid_option);
        EXPECT_THAT(thrown.what(), HasSubstr("max_lease"));
    }
}

} // namespace
} // namespace holdfast::test
