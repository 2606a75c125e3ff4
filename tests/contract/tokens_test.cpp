// P3: tokens rise from holder to holder, by release, hand-off, expiry and break.
#include "contract/contract.hpp"

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

namespace {

using namespace holdfast::test;
using holdfast::errc;
using holdfast::engine::op_status;
using holdfast::engine::queueing;

HOLDFAST_CONTRACT(tokens);

TEST_P(tokens, rise_over_releases) { // P3
    HOLDFAST_NEEDS(can().fencing);
    auto first = connect();
    auto second = connect();
    holdfast::mutex mine{first, "stock"};
    holdfast::mutex theirs{second, "stock"};
    std::uint64_t last = 0;
    for (int round = 0; round < 50; ++round) {
        for (auto* stock : {&mine, &theirs}) {
            const auto held = stock->acquire();
            ASSERT_GT(held.token(), last);
            last = held.token();
        }
    }
}

TEST_P(tokens, rise_over_hand_offs) { // P3
    HOLDFAST_NEEDS(can().fencing);
    auto fleet = connect();
    auto first = holdfast::mutex{fleet, "stock"}.acquire();
    std::atomic<std::uint64_t> last{first.token()};
    std::atomic<int> rises{0};
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&] {
                auto own = connect();
                holdfast::mutex stock{own, "stock"};
                for (int round = 0; round < 15; ++round) {
                    const auto held = stock.acquire();
                    if (held.token() > last.exchange(held.token())) { ++rises; }
                }
            });
        }
        EXPECT_TRUE(will_wait("stock", 4)); // so that there are hand-offs
        first.release();
    }
    EXPECT_EQ(rises.load(), 4 * 15);
}

TEST_P(tokens, rise_over_expiry) { // P3
    HOLDFAST_NEEDS(can().fencing);
    seam_client crashed{url()};
    auto fleet = connect();
    const auto old = crashed.acquire(crashed.ticket("stock"), {.lease = 100ms});
    ASSERT_EQ(old.status, op_status::granted);
    EXPECT_GT((holdfast::mutex{fleet, "stock"}.acquire().token()), old.token);
}

TEST_P(tokens, rise_over_a_break) { // P3
    HOLDFAST_NEEDS(can().fencing);
    auto fleet = connect();
    auto rival = connect();
    const auto old = holdfast::mutex{fleet, "stock"}.acquire();
    ASSERT_TRUE(holdfast::admin{rival}.break_lock("stock"));
    EXPECT_GT((holdfast::mutex{rival, "stock"}.acquire().token()), old.token());
}

TEST_P(tokens, rise_even_if_there_was_no_client_meanwhile) { // P3
    HOLDFAST_NEEDS(can().fencing && GetParam().across_processes);
    auto first = std::make_unique<seam_client>(url());
    const auto old = first->ticket("stock");
    const auto token = first->acquire(old).token;
    first->release(old);
    first.reset();
    auto fleet = connect();
    EXPECT_GT((holdfast::mutex{fleet, "stock"}.acquire().token()), token);
}

TEST_P(tokens, do_not_change_while_held) { // P3
    HOLDFAST_NEEDS(can().fencing);
    seam_client holder{url()};
    const auto held = holder.ticket("stock");
    const auto token = holder.acquire(held).token;
    ASSERT_NE(token, 0U);
    ASSERT_EQ(holder.renew(held).status, op_status::renewed);
    const auto seen = holder.inspect("stock");
    ASSERT_EQ(seen.holders.size(), 1U);
    EXPECT_EQ(seen.holders.front().token, token);
    EXPECT_EQ(seen.last_token, token);
}

TEST_P(tokens, of_different_names_are_independent) { // P3
    HOLDFAST_NEEDS(can().fencing);
    auto fleet = connect();
    const auto first = holdfast::mutex{fleet, "a"}.acquire();
    const auto other = holdfast::mutex{fleet, "b"}.acquire();
    EXPECT_EQ(look("a").last_token, first.token());
    EXPECT_EQ(look("b").last_token, other.token());
}

TEST_P(tokens, of_readers_are_that_of_the_last_writer) { // P3
    HOLDFAST_NEEDS(can(holdfast::primitive::shared_mutex).readers_fence);
    HOLDFAST_NEEDS(can(holdfast::primitive::shared_mutex).supported);
    HOLDFAST_NEEDS(can(holdfast::primitive::shared_mutex).fencing);
    auto first = connect();
    auto second = connect();
    holdfast::shared_mutex mine{first, "prices"};
    holdfast::shared_mutex theirs{second, "prices"};
    auto written = mine.acquire();
    const auto epoch = written.token();
    written.release();
    {
        const auto reader = mine.acquire_shared();
        const auto other = theirs.acquire_shared();
        EXPECT_EQ(reader.token(), epoch);
        EXPECT_EQ(other.token(), epoch);
    }
    EXPECT_GT(theirs.acquire().token(), epoch);
}

TEST_P(tokens, of_readers_before_any_writer_are_below_that_of_the_first) { // P3
    HOLDFAST_NEEDS(can(holdfast::primitive::shared_mutex).readers_fence);
    HOLDFAST_NEEDS(can(holdfast::primitive::shared_mutex).supported);
    HOLDFAST_NEEDS(can(holdfast::primitive::shared_mutex).fencing);
    auto fleet = connect();
    holdfast::shared_mutex prices{fleet, "prices"};
    auto first = prices.acquire_shared();
    auto other = prices.acquire_shared();
    EXPECT_NE(first.token(), 0U);
    EXPECT_EQ(first.token(), other.token());
    const auto epoch = first.token();
    first.release();
    other.release();
    EXPECT_GT(prices.acquire().token(), epoch);
}

TEST_P(tokens, of_permits_are_unique) { // P3
    HOLDFAST_NEEDS(can(holdfast::primitive::semaphore).supported);
    HOLDFAST_NEEDS(can(holdfast::primitive::semaphore).fencing);
    auto fleet = connect();
    holdfast::counting_semaphore slots{fleet, "slots", 5};
    std::vector<holdfast::lease> held;
    std::set<std::uint64_t> ids;
    for (int i = 0; i < 5; ++i) {
        held.push_back(slots.acquire());
        ids.insert(held.back().token());
    }
    EXPECT_EQ(ids.size(), 5U);
    EXPECT_FALSE(ids.contains(0));
}

TEST_P(tokens, make_a_fence_refuse_a_stale_holder) { // P3
    HOLDFAST_NEEDS(can().fencing);
    auto fleet = connect();
    auto rival = connect();
    const auto stale = holdfast::mutex{fleet, "stock"}.acquire({.lease = 120ms, .renew = false});
    holdfast::fence guard;
    EXPECT_TRUE(guard.admit(stale.token()));
    const auto next = holdfast::mutex{rival, "stock"}.acquire();
    EXPECT_TRUE(guard.admit(next.token()));
    EXPECT_FALSE(guard.admit(stale.token()));
    EXPECT_EQ(failure_of([&] { guard.check(stale.token()); }), errc::stale_token);
}

TEST_P(tokens, are_available_to_the_thread_that_locked) { // P3
    HOLDFAST_NEEDS(can().fencing);
    auto fleet = connect();
    holdfast::mutex stock{fleet, "stock"};
    const std::lock_guard hold{stock};
    EXPECT_EQ(stock.token(), look("stock").last_token);
}

} // namespace
