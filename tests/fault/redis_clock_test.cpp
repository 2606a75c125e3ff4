// Locks while the server's clock is set back or forward.

#include "fault/redis_fixture.hpp"

namespace holdfast::test {
namespace {

using engine::op_status;
using engine::queueing;

/// A server whose clock the test sets.
class redis_clock : public testing::Test {
protected:
    redis_server server{{.arguments = {"--appendonly", "yes", "--appendfsync", "always"},
                         .adjustable_clock = true}};
    seam_client here{server.url()};
    seam_client other{server.url()};

    /// Locks and releases the name, and returns its token.
    [[nodiscard]] std::uint64_t next_token(const std::string& name = "stock") {
        client fresh{server.url()};
        auto held = mutex{fresh, name}.acquire();
        const auto token = held.token();
        held.release();
        return token;
    }
    /// Deletes its record, as after a minute or two without use.
    void forget(const std::string& name = "stock") {
        ASSERT_EQ(server.command({"DEL", "hf:{" + name + "}"}).number(), 1);
    }
};

TEST_F(redis_clock, stepped_in_both_directions_leaves_tokens_rising) { // P3
    auto last = next_token();
    for (const auto step : {0s, 3600s, 0s, -3600s, 7200s, -7200s}) {
        server.set_clock(step);
        for (const bool forgotten : {false, true}) {
            if (forgotten) { forget(); }
            const auto token = next_token();
            EXPECT_GT(token, last) << step.count() << " s, forgotten: " << forgotten;
            last = token;
        }
    }
    server.restart();
    EXPECT_GT(next_token(), last) << "with persistence";
    forget();
    EXPECT_GT(next_token(), last + 1) << "and forgotten";
}

TEST_F(redis_clock, stepped_back_lets_a_dead_holder_hold_for_its_lease_only) { // P7
    server.set_clock(3600s);
    ASSERT_EQ(here.acquire(here.ticket("stock"), {.lease = 1s}).status, op_status::granted);
    ASSERT_EQ(here.acquire(here.ticket("page"),
                           {.kind = primitive::shared_mutex, .mode = mode::shared, .lease = 1s})
                  .status,
              op_status::granted);
    server.set_clock(0s);
    const stopwatch since;
    const auto take = [&](const std::string& name, primitive kind) {
        return other.acquire(other.ticket(name), {.kind = kind}).status == op_status::granted;
    };
    bool stock = false;
    bool page = false;
    ASSERT_TRUE(eventually([&] {
        stock = stock || take("stock", primitive::mutex);
        page = page || take("page", primitive::shared_mutex);
        return stock && page;
    })) << "held for an hour";
    EXPECT_LT(since.elapsed(), 1s + scaled(1s));
}

TEST_F(redis_clock, stepped_back_lets_a_renewed_lease_last_as_long_as_it_was_renewed_for) { // P1
    server.set_clock(3600s);
    const auto held = here.ticket("stock");
    ASSERT_EQ(here.acquire(held, {.lease = 1s}).status, op_status::granted);
    ASSERT_EQ(here.renew(held, 1h).status, op_status::renewed);
    server.set_clock(0s);
    EXPECT_GT(other.inspect("stock").holders.at(0).remaining, 59min);
    EXPECT_LE(other.inspect("stock").holders.at(0).remaining, 1h);
}

TEST_F(redis_clock, stepped_back_lets_dead_waiters_block_for_three_seconds) { // P6
    server.set_clock(3600s);
    const auto held = here.ticket("stock");
    ASSERT_EQ(here.acquire(held, {.lease = 60s}).status, op_status::granted);
    {
        seam_client dead{server.url()};
        ASSERT_TRUE(dead.queue_up("stock", 20));
    }
    server.set_clock(0s);
    const auto waiter = other.ticket("stock");
    ASSERT_EQ(other.acquire(waiter, {.queue = queueing::grant}).status, op_status::queued);
    (void)here.release(held);
    const stopwatch since;
    ASSERT_TRUE(eventually([&] { return other.wait_on(waiter).status == op_status::granted; }))
        << "kept out for an hour";
    EXPECT_LT(since.elapsed(), 3s + scaled(2s));
}

TEST_F(redis_clock, stepped_back_does_not_make_a_min_hold_longer) { // P7
    server.set_clock(3600s);
    const auto held = here.ticket("stock");
    ASSERT_EQ(here.acquire(held, {.min_hold = 1s}).status, op_status::granted);
    ASSERT_EQ(here.release(held).status, op_status::released);
    server.set_clock(0s);
    EXPECT_EQ(other.acquire(other.ticket("stock")).status, op_status::busy) << "it rests";
    EXPECT_TRUE(eventually(
        [&] { return other.acquire(other.ticket("stock")).status == op_status::granted; }, 4s));
}

TEST_F(redis_clock, stepped_back_makes_a_request_from_before_too_late) { // P5
    client fresh{server.url()};
    (void)fresh.ping(); // it knows the clock of now
    server.set_clock(-3600s);
    EXPECT_TRUE((mutex{fresh, "stock"}.try_acquire_for(2s))) << "it learns the time anew";
}

TEST_F(redis_clock, stepped_back_does_not_refuse_an_acquire_that_is_sent_again) { // P7
    proxy between{server.port()};
    client fresh{between.url()};
    (void)fresh.ping();
    between.hold_requests({.with = call_of(scripts::acquire)});
    background<bool> taken{[&](const std::stop_token&) {
        return mutex{fresh, "stock"}.try_acquire_for(4s).has_value();
    }};
    ASSERT_TRUE(eventually([&] { return between.counts().held == 1; }));
    server.set_clock(-3600s);
    between.cut();
    EXPECT_TRUE(taken.get()) << "as later than the first one, and so an hour ahead";
}

} // namespace
} // namespace holdfast::test
