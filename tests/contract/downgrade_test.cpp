// shared_mutex::downgrade: a writer becomes a reader without a gap.
#include "contract/contract.hpp"

#include <shared_mutex>
#include <thread>

namespace {

using namespace holdfast::test;
using holdfast::errc;
using holdfast::mode;
using holdfast::primitive;
using holdfast::engine::downgrade_op;
using holdfast::engine::op_status;
using holdfast::engine::queueing;

HOLDFAST_CONTRACT(downgrade);

const request reader{
    .kind = primitive::shared_mutex, .mode = mode::shared, .queue = queueing::grant};
const request writer{.kind = primitive::shared_mutex, .queue = queueing::grant};

TEST_P(downgrade, lets_readers_in_and_no_writer) { // P1
    HOLDFAST_NEEDS(can(primitive::shared_mutex).downgrades);
    auto mine = connect();
    auto theirs = connect();
    holdfast::shared_mutex prices{mine, "prices"};
    holdfast::shared_mutex other{theirs, "prices"};
    prices.lock();
    const auto token = prices.token();
    EXPECT_FALSE(other.try_acquire_shared());
    prices.downgrade();
    EXPECT_TRUE(prices.valid());
    EXPECT_EQ(prices.token(), token);
    {
        const auto reading = other.try_acquire_shared();
        ASSERT_TRUE(reading);
        EXPECT_EQ(reading->token(), token) << "readers carry the token of the last writer";
    }
    EXPECT_FALSE(other.try_acquire());
    prices.unlock_shared();
    EXPECT_FALSE(prices.valid());
    const auto writing = other.try_acquire();
    ASSERT_TRUE(writing);
    EXPECT_GT(writing->token(), token);
}

TEST_P(downgrade, of_a_lease_is_renewed_and_released_as_before) { // P7
    HOLDFAST_NEEDS(can(primitive::shared_mutex).downgrades);
    auto mine = connect();
    auto theirs = connect();
    holdfast::shared_mutex prices{mine, "prices", {.lease = short_lease}};
    holdfast::shared_mutex other{theirs, "prices"};
    auto held = prices.acquire();
    prices.downgrade(held);
    std::this_thread::sleep_for(2 * short_lease);
    EXPECT_TRUE(held.valid());
    EXPECT_FALSE(other.try_acquire());
    EXPECT_EQ(held.release(), holdfast::release_answer::released);
    EXPECT_TRUE(other.try_acquire());
}

TEST_P(downgrade, grants_the_readers_that_wait_first_and_keeps_the_order) { // P6
    HOLDFAST_NEEDS(can(primitive::shared_mutex).downgrades);
    seam_client all{url()};
    const auto first = all.ticket("prices");
    const auto reading = all.ticket("prices");
    const auto writing = all.ticket("prices");
    const auto late = all.ticket("prices");
    const auto token = all.acquire(first, writer).token;
    ASSERT_EQ(all.acquire(reading, reader).status, op_status::queued);
    ASSERT_EQ(all.acquire(writing, writer).status, op_status::queued);
    ASSERT_EQ(all.acquire(late, reader).status, op_status::queued);
    EXPECT_EQ(all.ask(downgrade_op{first}).status, op_status::renewed);
    EXPECT_EQ(all.ask(downgrade_op{first}).status, op_status::renewed) << "sent again";
    const auto granted = all.wait_on(reading);
    EXPECT_EQ(granted.status, op_status::granted);
    EXPECT_EQ(granted.token, token);
    EXPECT_EQ(all.wait_on(writing).status, op_status::queued) << "no writer gets in between";
    EXPECT_EQ(all.wait_on(late).status, op_status::queued);
    EXPECT_EQ(all.renew(first).status, op_status::renewed);
    EXPECT_EQ(all.release(first).status, op_status::released);
    EXPECT_EQ(all.release(reading).status, op_status::handed_off);
    EXPECT_EQ(all.wait_on(writing).status, op_status::granted);
}

TEST_P(downgrade, of_what_is_not_held_is_lost) { // P5
    HOLDFAST_NEEDS(can(primitive::shared_mutex).downgrades);
    seam_client all{url()};
    const auto first = all.ticket("prices");
    EXPECT_EQ(all.ask(downgrade_op{first}).status, op_status::lost);
    ASSERT_EQ(all.acquire(first, writer).status, op_status::granted);
    ASSERT_EQ(all.release(first).status, op_status::released);
    EXPECT_EQ(all.ask(downgrade_op{first}).status, op_status::lost) << "a late duplicate";
    const auto mutex = all.ticket("stock");
    ASSERT_EQ(all.acquire(mutex).status, op_status::granted);
    const auto refused = all.ask(downgrade_op{mutex});
    EXPECT_EQ(refused.status, op_status::failed);
    EXPECT_EQ(refused.error, errc::wrong_primitive);
}

TEST_P(downgrade, fails_clearly_where_it_makes_no_sense) {
    HOLDFAST_NEEDS(can(primitive::shared_mutex).supported);
    auto mine = connect();
    holdfast::shared_mutex prices{mine, "prices"};
    EXPECT_EQ(failure_of([&] { prices.downgrade(); }), errc::not_held);
    {
        const std::shared_lock reading{prices};
        EXPECT_EQ(failure_of([&] { prices.downgrade(); }), errc::not_held);
        const auto complaint = complaint_of([&] { prices.lock(); });
        EXPECT_NE(complaint.find("a reader cannot become a writer"), std::string::npos)
            << complaint;
    }
    if (can(primitive::shared_mutex).downgrades) {
        auto held = prices.acquire();
        ASSERT_TRUE(holdfast::admin{mine}.break_lock("prices"));
        std::error_code failure;
        EXPECT_FALSE(prices.downgrade(held, failure));
        EXPECT_EQ(failure, errc::lost);
        EXPECT_FALSE(held.valid());
    } else {
        const std::lock_guard writing{prices};
        EXPECT_EQ(failure_of([&] { prices.downgrade(); }), errc::unsupported);
        EXPECT_TRUE(prices.valid());
    }
}

} // namespace
