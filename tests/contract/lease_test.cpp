// A lease as a value: it can be moved, and its hold is released exactly once.
#include "contract/contract.hpp"

#include <utility>

namespace {

using namespace holdfast::test;
using holdfast::errc;

HOLDFAST_CONTRACT(lease_value);

TEST_P(lease_value, an_empty_lease_holds_nothing) { // P4
    const holdfast::lease none;
    EXPECT_FALSE(none);
    EXPECT_FALSE(none.valid());
    EXPECT_EQ(none.remaining(), 0ms);
    EXPECT_EQ(none.owner(), "");
    EXPECT_EQ(none.name(), "");
    EXPECT_FALSE(none.why_lost());
    EXPECT_FALSE(none.lost().stop_requested());
    EXPECT_EQ(failure_of([&] { (void)none.token(); }), errc::not_held);
}

TEST_P(lease_value, has_name_owner_token_and_remaining_time) { // P2, P3
    HOLDFAST_NEEDS(can().fencing);
    auto fleet = connect();
    const auto held = holdfast::mutex{fleet, "stock"}.acquire({.lease = 20s});
    EXPECT_EQ(held.name(), "stock");
    EXPECT_TRUE(held.owner().starts_with(fleet.id()));
    EXPECT_NE(held.token(), 0U);
    EXPECT_GT(held.remaining(), 10s);
    EXPECT_LT(held.remaining(), 20s);
    EXPECT_FALSE(held.why_lost());
}

TEST_P(lease_value, moving_transfers_the_hold) { // P4
    HOLDFAST_NEEDS(can().fencing);
    auto fleet = connect();
    auto first = holdfast::mutex{fleet, "stock"}.acquire();
    const auto token = first.token();
    auto second = std::move(first);
    EXPECT_FALSE(
        first); // NOLINT(bugprone-use-after-move): what a moved-from lease is, is the point
    EXPECT_TRUE(second.valid());
    EXPECT_EQ(second.token(), token);
    EXPECT_EQ(look("stock").holders.size(), 1U);

    holdfast::lease third;
    third = std::move(second);
    EXPECT_TRUE(third.valid());
    { const auto fourth = std::move(third); }
    EXPECT_TRUE(will_be_clear("stock"));
}

TEST_P(lease_value, assignment_releases_the_old_hold) { // P8
    auto fleet = connect();
    auto held = holdfast::mutex{fleet, "a"}.acquire();
    held = holdfast::mutex{fleet, "b"}.acquire();
    EXPECT_TRUE(will_be_clear("a"));
    EXPECT_EQ(held.name(), "b");
    EXPECT_TRUE(held.valid());
    held = {};
    EXPECT_TRUE(will_be_clear("b"));
}

TEST_P(lease_value, release_leaves_it_empty_and_the_lock_free) { // P8
    auto fleet = connect();
    auto held = holdfast::mutex{fleet, "stock"}.acquire();
    const auto lost = held.lost();
    EXPECT_EQ(held.release(), holdfast::release_answer::released);
    EXPECT_FALSE(held);
    EXPECT_FALSE(held.valid());
    EXPECT_FALSE(lost.stop_requested());
    EXPECT_TRUE(is_free("stock"));
}

TEST_P(lease_value, release_has_an_error_code_form) { // P4
    auto fleet = connect();
    auto held = holdfast::mutex{fleet, "stock"}.acquire();
    std::error_code failure = errc::internal;
    EXPECT_EQ(held.release(failure), holdfast::release_answer::released);
    EXPECT_FALSE(failure);

    auto broken = holdfast::mutex{fleet, "stock"}.acquire();
    ASSERT_TRUE(holdfast::admin{fleet}.break_lock("stock"));
    EXPECT_EQ(broken.release(failure), holdfast::release_answer::already_lost);
    EXPECT_FALSE(failure);
}

TEST_P(lease_value, may_be_released_by_another_thread_after_its_client_and_mutex_are_gone) { // P8
    holdfast::lease held;
    {
        auto fleet = connect();
        held = holdfast::mutex{fleet, "stock"}.acquire();
    }
    EXPECT_TRUE(held.valid());
    background other{
        [moved = std::move(held)](const std::stop_token&) mutable { return moved.release(); }};
    EXPECT_EQ(other.get(), holdfast::release_answer::released);
    EXPECT_TRUE(is_free("stock"));
}

TEST_P(lease_value, a_client_can_be_moved_while_its_leases_are_held) { // P4
    auto first = connect();
    const auto held = holdfast::mutex{first, "stock"}.acquire();
    const auto id = first.id();
    auto second = std::move(first);
    EXPECT_EQ(second.id(), id);
    EXPECT_TRUE(held.valid());
    EXPECT_FALSE((holdfast::mutex{second, "stock"}.try_acquire()));
    second = connect();
    EXPECT_NE(second.id(), id);
    EXPECT_TRUE(held.valid());
}

} // namespace
