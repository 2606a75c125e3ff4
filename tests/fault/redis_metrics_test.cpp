// What a client counts when its server goes away and comes back.

#include "fault/redis_fixture.hpp"

namespace holdfast::test {
namespace {

class redis_metrics : public redis_fault {};

TEST_F(redis_metrics, count_a_reconnect_after_a_restart_and_not_the_first_connection) {
    client here{server.url()};
    mutex{here, "stock"}.acquire().release();
    EXPECT_EQ(here.metrics().reconnects, 0U);
    server.restart();
    EXPECT_TRUE(eventually([&] {
        std::error_code failure;
        (void)mutex{here, "stock"}.try_acquire(failure);
        return !failure;
    }));
    EXPECT_EQ(here.metrics().reconnects, 1U);
}

TEST_F(redis_metrics, count_a_loss_of_data_as_taken) {
    client here{server.url()};
    const auto held = mutex{here, "stock"}.acquire({.lease = 900ms});
    server.flush_all();
    EXPECT_TRUE(eventually([&] { return here.metrics().losses.taken == 1; }));
    EXPECT_EQ(here.metrics().renewals.lost, 1U);
}

TEST_F(redis_metrics, count_replies_that_a_stopped_server_never_sends) {
    client here{server.url(), {.connect_wait = 300ms}};
    mutex{here, "stock"}.acquire().release();
    server.pause();
    std::error_code failure;
    EXPECT_FALSE((mutex{here, "stock"}.try_acquire(failure)));
    EXPECT_GE(here.metrics().unknown_outcomes.acquire, 1U);
    EXPECT_EQ(here.metrics().acquires.unavailable, 1U);
    server.resume();
}

} // namespace
} // namespace holdfast::test
