// What a quorum asks of a node: proposals, reclaims, listeners, the memory of broken holds.
#include "unit/admission_fixture.hpp"

namespace holdfast::engine::admission {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t second = 1'000'000;

class admission_votes : public admission {
protected:
    [[nodiscard]] std::uint64_t clock() const { return static_cast<std::uint64_t>(wall_us); }
    static acquire_op listener(const base::owner_id& owner) {
        acquire_op out = exclusive(owner);
        out.queue = queueing::listen;
        return out;
    }
    op_status reclaim(const base::owner_id& owner, std::uint64_t token, const acquire_op& terms) {
        return apply([&](admission_rule& rule) {
                   return rule.beat({{"stock:1001", owner},
                                     false,
                                     10s,
                                     1,
                                     token,
                                     std::make_shared<acquire_op>(terms)},
                                    {"host", 7});
               })
            .status;
    }
    op_status reclaim(const base::owner_id& owner, std::uint64_t token) {
        return reclaim(owner, token, exclusive(owner));
    }
    op_status release_with(const base::owner_id& owner, std::uint64_t token) {
        return apply([&](admission_rule& rule) {
            return rule.release({{"stock:1001", owner}, true, false, token});
        });
    }
    op_status withdraw_for_now(const base::owner_id& owner) {
        return apply([&](admission_rule& rule) {
            return rule.withdraw({{"stock:1001", owner}, true});
        });
    }
};

TEST_F(admission_votes, a_withdrawal_for_now_leaves_no_tombstone) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    EXPECT_EQ(withdraw_for_now(a), op_status::released);
    EXPECT_TRUE(changed);
    EXPECT_EQ(ask(exclusive(a)), op_status::granted);
    EXPECT_EQ(withdraw(a), op_status::released);
    EXPECT_EQ(ask(exclusive(a)), op_status::busy);
}

TEST_F(admission_votes, a_record_without_a_tombstone_is_kept_as_long) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    pass(1s);
    ASSERT_EQ(withdraw_for_now(a), op_status::released);
    pass(59s);
    EXPECT_FALSE(delete_record());
    pass(2s);
    EXPECT_TRUE(delete_record());
}

TEST_F(admission_votes, only_the_owner_of_an_expired_hold_reclaims_its_token) {
    const auto token = acquire(exclusive(a)).token;
    pass(11s);
    EXPECT_EQ(reclaim(b, token), op_status::lost);
    EXPECT_EQ(reclaim(a, token - 1), op_status::lost);
    EXPECT_EQ(reclaim(a, token), op_status::reclaimed);
    EXPECT_EQ(holders(), owners{a});
    EXPECT_EQ(state.high_water, token);
    EXPECT_EQ(state.holds.at(0).process.host, "host");
}

TEST_F(admission_votes, a_higher_token_than_known_is_reclaimed) {
    ASSERT_EQ(reclaim(a, clock() - 3600 * second), op_status::reclaimed);
    EXPECT_EQ(state.high_water, clock() - 3600 * second);
    pass(11s);
    EXPECT_EQ(reclaim(b, clock() + 31 * second), op_status::lost);
    EXPECT_EQ(reclaim(b, clock() + 30 * second), op_status::reclaimed);
    EXPECT_EQ(release(b), op_status::released);
    EXPECT_EQ(acquire(exclusive(c)).token, clock() + 30 * second + 1);
}

TEST_F(admission_votes, what_was_released_or_is_late_is_not_reclaimed) {
    const auto token = acquire(exclusive(a)).token;
    ASSERT_EQ(release(a), op_status::released);
    EXPECT_EQ(reclaim(a, token), op_status::lost);
    EXPECT_EQ(reclaim(a, token + 1), op_status::lost);
    auto late = exclusive(b);
    late.not_after = now - 1ms;
    EXPECT_EQ(reclaim(b, token + 1, late), op_status::lost);
    late.not_after = now;
    EXPECT_EQ(reclaim(b, token + 1, late), op_status::reclaimed);
}

TEST_F(admission_votes, a_waiter_is_not_passed_by_a_reclaim) { // P6
    ASSERT_EQ(ask(writer(a)), op_status::granted);
    ASSERT_EQ(ask(reader(b)), op_status::queued);
    ASSERT_EQ(ask(writer(c)), op_status::queued);
    ASSERT_EQ(release(a), op_status::handed_off);
    EXPECT_EQ(reclaim(d, state.high_water, reader(d)), op_status::lost);
    ASSERT_EQ(withdraw(c), op_status::released);
    EXPECT_EQ(reclaim(d, state.high_water, reader(d)), op_status::reclaimed);
    EXPECT_EQ(reclaim(c, state.high_water + 1, exclusive(c)), op_status::lost); // another kind
}

TEST_F(admission_votes, permits_are_not_reclaimed) {
    EXPECT_EQ(reclaim(a, clock(), permits(a, 1)), op_status::lost);
}

TEST_F(admission_votes, broken_owners_are_remembered_for_a_minute) {
    std::vector<base::owner_id> readers;
    for (int i = 0; i < 3; ++i) {
        readers.push_back(fresh());
        ASSERT_EQ(ask(reader(readers.back())), op_status::granted);
    }
    const auto token = state.high_water;
    ASSERT_EQ(break_lock(), op_status::released);
    pass(59s);
    for (const auto& each : readers) {
        EXPECT_EQ(ask(reader(each)), op_status::busy);
        EXPECT_EQ(reclaim(each, token, reader(each)), op_status::lost);
    }
    EXPECT_FALSE(delete_record());
    pass(1s);
    EXPECT_EQ(ask(reader(readers[0])), op_status::granted);
    EXPECT_TRUE(state.broken.empty());
}

TEST_F(admission_votes, the_memory_of_broken_owners_is_limited) { // P9
    const auto first = fresh();
    ASSERT_EQ(ask(reader(first)), op_status::granted);
    base::owner_id last = first;
    for (std::size_t i = 0; i < max_broken_holds; ++i) {
        last = fresh();
        ASSERT_EQ(ask(reader(last)), op_status::granted);
    }
    ASSERT_EQ(break_lock(), op_status::released);
    EXPECT_EQ(state.broken.size(), max_broken_holds);
    EXPECT_EQ(ask(reader(last)), op_status::busy);
    EXPECT_EQ(ask(reader(first)), op_status::granted); // the oldest is forgotten
}

TEST_F(admission_votes, the_token_of_a_lost_hold_is_remembered_by_its_release) { // P3
    EXPECT_EQ(release_with(a, clock() + 20 * second), op_status::not_held);
    EXPECT_TRUE(changed);
    EXPECT_TRUE(state.idle());
    EXPECT_EQ(state.high_water, clock() + 20 * second);
    EXPECT_FALSE(delete_record());
    EXPECT_EQ(release_with(b, clock() + 10 * second), op_status::not_held);
    EXPECT_FALSE(changed);
    EXPECT_EQ(release_with(b, clock() + 31 * second), op_status::not_held);
    EXPECT_FALSE(changed);
    EXPECT_EQ(acquire(exclusive(c)).token, clock() + 20 * second + 1);
}

TEST_F(admission_votes, a_token_below_the_mark_makes_no_record) { // P3
    state.floor = clock() - second;
    EXPECT_EQ(release_with(a, clock() - 2 * second), op_status::not_held);
    EXPECT_FALSE(changed);
}

TEST_F(admission_votes, a_listener_is_notified_once_and_keeps_no_place) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    const auto queued = acquire(listener(b));
    EXPECT_EQ(queued.status, op_status::queued);
    EXPECT_EQ(queued.check_in, 10s);
    EXPECT_EQ(state.waiting, 0U);
    EXPECT_EQ(release(a), op_status::released);
    EXPECT_EQ(notified(notice::kind::maybe_free), owners{b});
    EXPECT_TRUE(state.listeners.empty());
    ASSERT_EQ(ask(exclusive(c)), op_status::granted);
    EXPECT_EQ(release(c), op_status::released);
    EXPECT_TRUE(pushes.empty());
}

TEST_F(admission_votes, a_listener_that_is_silent_for_3_s_is_not_notified) { // P8
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    ASSERT_EQ(ask(listener(b)), op_status::queued);
    pass(2s);
    ASSERT_EQ(ask(listener(c)), op_status::queued);
    pass(1s);
    EXPECT_EQ(release(a), op_status::released);
    EXPECT_EQ(notified(notice::kind::maybe_free), owners{c});
}

TEST_F(admission_votes, a_resting_hold_is_no_reason_to_notify) {
    auto resting = exclusive(a);
    resting.min_hold = 5s;
    ASSERT_EQ(ask(resting), op_status::granted);
    ASSERT_EQ(ask(listener(b)), op_status::queued);
    EXPECT_EQ(release(a), op_status::released);
    EXPECT_TRUE(pushes.empty());
}

TEST_F(admission_votes, a_permit_more_is_a_reason_to_notify) {
    ASSERT_EQ(ask(permits(a, 3)), op_status::granted);
    ASSERT_EQ(ask(permits(b, 2)), op_status::granted);
    auto listening = permits(c, 2);
    listening.queue = queueing::listen;
    ASSERT_EQ(ask(listening), op_status::queued);
    EXPECT_EQ(release(b), op_status::released);
    EXPECT_EQ(notified(notice::kind::maybe_free), owners{c});
}

TEST_F(admission_votes, an_idle_record_is_deleted_though_somebody_listens) { // P8
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    ASSERT_EQ(ask(listener(b)), op_status::queued);
    pass(80s);
    EXPECT_TRUE(delete_record());
}

} // namespace
} // namespace holdfast::engine::admission
