// list_queue, and the calls that the admission rule makes to a queue.

#include "admission_fixture.hpp"

namespace holdfast::engine::admission {
namespace {

waiter waiting(const base::owner_id& owner, base::instant alive_until = base::never) {
    waiter out;
    out.owner = owner;
    out.alive_until = alive_until;
    return out;
}

TEST(list_queue, returns_waiters_in_the_order_of_arrival) {
    list_queue queue;
    EXPECT_EQ(queue.front(), nullptr);
    for (std::uint64_t i = 0; i < 5; ++i) { queue.push(waiting(owner(1, i))); }
    EXPECT_TRUE(queue.erase(owner(1, 2)));
    EXPECT_FALSE(queue.erase(owner(1, 2)));
    for (const std::uint64_t i : {0U, 1U, 3U, 4U}) {
        ASSERT_NE(queue.front(), nullptr);
        EXPECT_EQ(queue.front()->owner, owner(1, i));
        EXPECT_EQ(queue.take().owner, owner(1, i));
    }
    EXPECT_EQ(queue.front(), nullptr);
}

TEST(list_queue, touches_and_finds_only_waiters_in_it) {
    list_queue queue;
    queue.push(waiting(owner(1), base::instant{1h}));
    EXPECT_TRUE(queue.touch(owner(1), base::instant{2h}));
    EXPECT_EQ(queue.front()->alive_until, base::instant{2h});
    EXPECT_FALSE(queue.touch(owner(2), base::instant{2h}));
    EXPECT_FALSE(queue.ahead(owner(2)).has_value());
}

TEST(list_queue, counts_the_first_places_exactly_and_never_too_few_ahead) {
    list_queue queue;
    for (std::uint64_t i = 0; i < 100; ++i) { queue.push(waiting(owner(1, i))); }
    for (std::uint64_t i = 0; i < 100; ++i) { EXPECT_EQ(queue.ahead(owner(1, i)), i); }
    for (std::uint64_t i = 0; i < 50; ++i) { EXPECT_TRUE(queue.erase(owner(1, 2 * i + 1))); }
    for (std::uint64_t i = 0; i < 50; ++i) {
        const auto ahead = queue.ahead(owner(1, 2 * i)).value();
        if (i < waiter_queue::exact_places) { EXPECT_EQ(ahead, i); }
        EXPECT_GE(ahead, i);
        EXPECT_LT(ahead, 50U);
    }
}

TEST(list_queue, drops_dead_waiters_wherever_they_stand) {
    list_queue queue;
    fake_liveness clients;
    clients.dead.insert(owner(2).client);
    queue.push(waiting(owner(1, 1), base::instant{1h}));
    queue.push(waiting(owner(1, 2)));
    queue.push(waiting(owner(2, 3)));
    queue.push(waiting(owner(1, 4)));
    EXPECT_EQ(queue.drop_dead({base::instant{1h}, 0, &clients}), 2U);
    std::vector<base::owner_id> left;
    queue.visit([&](const waiter& waiter) { left.push_back(waiter.owner); });
    EXPECT_EQ(left, (std::vector{owner(1, 2), owner(1, 4)}));
    EXPECT_FALSE(queue.touch(owner(2, 3), base::never));
}

/// Counts the calls that the admission rule makes to its queue.
class counting_queue final : public waiter_queue {
public:
    const waiter* front() override { return ++calls, inner.front(); }
    waiter take() override { return ++calls, inner.take(); }
    void push(waiter&& waiter) override { ++calls, inner.push(std::move(waiter)); }
    bool touch(const base::owner_id& owner, base::instant until) override {
        return ++calls, inner.touch(owner, until);
    }
    bool erase(const base::owner_id& owner) override { return ++calls, inner.erase(owner); }
    std::optional<unsigned> ahead(const base::owner_id& owner) override {
        return ++calls, inner.ahead(owner);
    }
    void visit(const std::function<void(const waiter&)>& visitor) override {
        ++long_calls, inner.visit(visitor);
    }
    unsigned drop_dead(const moment& at) override { return ++long_calls, inner.drop_dead(at); }

    list_queue inner;
    unsigned calls = 0;
    unsigned long_calls = 0; ///< calls that take time in proportion to the length
};

class admission_counting_queue : public admission {
protected:
    admission_counting_queue() { used_queue = &counted; }
    counting_queue counted;
};

TEST_F(admission_counting_queue, P6_a_hand_off_costs_the_same_with_10000_waiters) {
    ASSERT_EQ(ask(exclusive(owner(9, 0))), op_status::granted);
    for (std::uint64_t i = 1; i <= limits::waiters_per_name; ++i) {
        ASSERT_EQ(ask(exclusive(owner(9, i))), op_status::queued);
    }
    for (std::uint64_t i = 0; i < limits::waiters_per_name; ++i) {
        counted.calls = 0;
        ASSERT_EQ(release(owner(9, i)), op_status::handed_off);
        ASSERT_EQ(granted_by_notice(), owners{owner(9, i + 1)});
        ASSERT_LE(counted.calls, 4U);
    }
    EXPECT_EQ(counted.long_calls, 0U);
}

TEST_F(admission_counting_queue, is_not_called_while_nobody_waits) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    auto impatient = exclusive(b);
    impatient.queue = queueing::no;
    ASSERT_EQ(ask(impatient), op_status::busy);
    ASSERT_EQ(release(a), op_status::released);
    EXPECT_EQ(counted.calls + counted.long_calls, 0U);
}

TEST_F(admission_counting_queue, a_queue_that_lost_its_entries_does_not_block_the_name) {
    state.waiting = 3;
    EXPECT_EQ(ask(exclusive(a)), op_status::granted);
    EXPECT_EQ(state.waiting, 0U);
}

} // namespace
} // namespace holdfast::engine::admission
