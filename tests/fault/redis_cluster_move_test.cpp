// Slots that move from node to node under holders and waiters: MOVED, ASK, TRYAGAIN, and no
// half-written state.

#include "fault/redis_cluster_fixture.hpp"

namespace holdfast::test {
namespace {

using testing::IsEmpty;
using testing::StartsWith;

class redis_cluster_move : public cluster_of_masters {
protected:
    redis_cluster_move()
        : from{group.nodes[0]},
          to{group.nodes[1]},
          name{name_on(from)},
          slot{group.slot_of(key_of(name))} {}

    /// Another lock in the same slot, without any key yet.
    [[nodiscard]] std::string other_name_in_slot() {
        for (int number = 0;; ++number) {
            auto other = "other" + std::to_string(number);
            if (group.slot_of(key_of(other)) == slot) { return other; }
        }
    }
    /// The parts of a queue are one: each waiter is in both keys or in none.
    static void expect_whole_queue(redis_server& node, const std::string& lock) {
        std::set<std::string> order;
        std::set<std::string> terms;
        const auto queue = node.command({"ZRANGE", key_of(lock) + ":q", "0", "-1"});
        for (const auto& each : queue.items()) { order.insert(each.string()); }
        const auto waiters = node.command({"HKEYS", key_of(lock) + ":w"});
        for (const auto& each : waiters.items()) {
            if (each.string() != "#" && each.string() != "!") { terms.insert(each.string()); }
        }
        EXPECT_EQ(order, terms) << "a half-written queue";
    }

    redis_server& from;
    redis_server& to;
    const std::string name;
    const unsigned slot;
};

TEST_F(redis_cluster_move, of_a_held_lock_keeps_its_lease_and_its_waiters_in_order) {
    client holder = connect();
    client second = connect();
    client third = connect();
    auto hold = mutex{holder, name, {.lease = lease_of_a_minute}}.acquire();
    const auto token = hold.token();
    auto next = wait_for_lock(second, name);
    ASSERT_TRUE(will_wait(1, name));
    auto last = wait_for_lock(third, name);
    ASSERT_TRUE(will_wait(2, name));
    group.move_slot(slot, to);
    EXPECT_TRUE(will_wait(2, name));
    EXPECT_THAT(keys_on(from, name), IsEmpty());
    // A waiter that does not listen at the new node yet would be passed over.
    EXPECT_TRUE(eventually([&] {
        const auto inboxes = "hf:inbox:" + std::string(32, '?');
        return to.command({"PUBSUB", "CHANNELS", inboxes}).items().size() >=
               3; // and that of look()
    })) << "their heartbeats follow the slot";
    EXPECT_TRUE(hold.valid());
    EXPECT_NO_THROW(hold.extend(lease_of_a_minute));
    EXPECT_EQ(hold.release(), release_answer::released);
    auto second_hold = next.get();
    EXPECT_GT(second_hold.token(), token) << "P3";
    EXPECT_FALSE(last.done_within(50ms)) << "P1";
    EXPECT_EQ(second_hold.release(), release_answer::released);
    EXPECT_TRUE(last.get().valid());
}

TEST_F(redis_cluster_move, there_and_back_between_two_requests_is_not_noticed) {
    client here = connect();
    client there = connect("", {.connect_wait = long_wait});
    auto hold = mutex{here, name, {.lease = lease_of_a_minute}}.acquire();
    for (int round = 0; round < 5; ++round) {
        group.move_slot(slot, to);
        std::error_code failure;
        EXPECT_FALSE((mutex{there, name}.try_acquire_for(20ms, {}, failure))) << "P1";
        EXPECT_FALSE(failure);
        group.move_slot(slot, from);
    }
    EXPECT_EQ(hold.release(), release_answer::released);
    EXPECT_FALSE(try_once(here, name).code);
}

TEST_F(redis_cluster_move, that_is_half_done_serves_a_lock_by_ask) {
    client here = connect("", {.connect_wait = long_wait});
    ASSERT_FALSE(try_once(here, name).code) << "it knows the slots as they were";
    group.begin_move(slot, from, to);
    group.move_keys(slot, from, to);
    redis_raw plain{from.port()};
    ASSERT_THAT(plain.ask({"GET", key_of(name)}).text(), StartsWith("error: ASK"));
    auto hold = mutex{here, name}.try_acquire_for(long_wait);
    ASSERT_TRUE(hold);
    EXPECT_THAT(keys_on(from, name), IsEmpty()) << "written to the node that gives it away";
    EXPECT_FALSE(keys_on(to, name).empty());
    EXPECT_EQ(hold->release(), release_answer::released);
    group.finish_move(slot, to);
    EXPECT_FALSE(try_once(here, name).code);
}

TEST_F(redis_cluster_move, that_is_half_done_lets_a_lock_without_keys_wait) {
    client here = connect("", {.connect_wait = long_wait});
    client there = connect();
    ASSERT_FALSE(try_once(here, name).code);
    ASSERT_FALSE(try_once(there, name).code);
    const auto other = other_name_in_slot();
    group.begin_move(slot, from, to);
    const auto got = try_once(there, other);
    EXPECT_TRUE(!got.code || got.code == errc::unavailable) << got.text;
    auto next = wait_for_lock(here, other, {.lease = lease_of_a_minute});
    (void)next.done_within(300ms); // its token may need a key that has not moved yet
    EXPECT_TRUE(keys_on(from, other).empty() || keys_on(to, other).empty())
        << "its keys are on both nodes";
    group.move_keys(slot, from, to);
    group.finish_move(slot, to);
    auto hold = next.get();
    EXPECT_TRUE(hold.valid());
    std::error_code failure;
    EXPECT_FALSE((mutex{there, other}.try_acquire_for(100ms, {}, failure))) << "P1";
    EXPECT_FALSE(failure);
    EXPECT_EQ(hold.release(), release_answer::released);
    EXPECT_TRUE((mutex{there, other}.try_acquire_for(long_wait)));
}

/// The keys of a lock with a holder and a waiter, moved one by one in an order of its own.
class redis_cluster_torn_lock : public redis_cluster_move,
                                public testing::WithParamInterface<std::vector<std::string>> {};

INSTANTIATE_TEST_SUITE_P(keys_in_order, redis_cluster_torn_lock,
                         testing::Values(std::vector<std::string>{"", ":q", ":w"},
                                         std::vector<std::string>{":q", ":w", ""},
                                         std::vector<std::string>{":w", "", ":q"}));

TEST_P(redis_cluster_torn_lock, is_never_half_written) {
    client holder = connect("", {.connect_wait = 2 * long_wait});
    client waiter = connect("", {.connect_wait = 2 * long_wait});
    client other = connect("", {.connect_wait = 2 * long_wait});
    auto hold = mutex{holder, name, {.lease = lease_of_a_minute}}.acquire();
    const auto token = hold.token();
    auto next = wait_for_lock(waiter, name, {.lease = lease_of_a_minute});
    ASSERT_TRUE(will_wait(1, name));
    group.begin_move(slot, from, to);
    for (const auto& suffix : GetParam()) {
        group.move_key(key_of(name) + suffix, from, to);
        // All kinds of requests meet a lock whose keys are on two nodes.
        EXPECT_FALSE(next.done()) << "P1";
        std::error_code failure;
        EXPECT_FALSE((mutex{other, name}.try_acquire_for(100ms, {}, failure))) << "P1";
        EXPECT_TRUE(!failure || failure == errc::unavailable) << failure;
        EXPECT_TRUE(hold.valid());
        const auto at_source = keys_on(from, name);
        const auto at_target = keys_on(to, name);
        for (const auto& key : at_source) {
            EXPECT_EQ(std::ranges::count(at_target, key), 0) << key << " is on both nodes";
        }
    }
    background releases{[&](const std::stop_token& /*stop*/) { return hold.release(); }};
    (void)releases.done_within(100ms); // it may have to wait for the end of the move
    group.move_keys(slot, from, to);
    group.finish_move(slot, to);
    EXPECT_EQ(releases.get(), release_answer::released);
    auto second = next.get();
    EXPECT_GT(second.token(), token) << "P3";
    EXPECT_THAT(keys_on(from, name), IsEmpty());
    expect_whole_queue(to, name);
    EXPECT_EQ(look(name).holders.size(), 1U);
    EXPECT_EQ(second.release(), release_answer::released);
    EXPECT_TRUE((mutex{other, name}.try_acquire_for(long_wait)));
}

TEST_F(redis_cluster_move, of_readers_and_permits_keeps_them_all) {
    client here = connect("", {.connect_wait = 2 * long_wait});
    client there = connect("", {.connect_wait = 2 * long_wait});
    const auto permits = other_name_in_slot();
    auto reader = shared_mutex{here, name, {.lease = lease_of_a_minute}}.acquire_shared();
    auto another = shared_mutex{there, name, {.lease = lease_of_a_minute}}.acquire_shared();
    counting_semaphore semaphore{here, permits, 3, {.lease = lease_of_a_minute}};
    auto two = semaphore.acquire(2);
    group.begin_move(slot, from, to);
    for (const auto& key : keys_on(from)) {
        if (group.slot_of(key) == slot) { group.move_key(key, from, to); }
        std::error_code failure;
        EXPECT_FALSE((shared_mutex{here, name}.try_acquire_for(50ms, {}, failure)));
        EXPECT_FALSE((counting_semaphore{there, permits, 3}.try_acquire_for(2, 50ms, {}, failure)));
    }
    group.finish_move(slot, to);
    EXPECT_TRUE(reader.valid() && another.valid() && two.valid());
    EXPECT_TRUE(eventually([&] { return look(name).holders.size() == 2; }));
    EXPECT_EQ(reader.release(), release_answer::released);
    EXPECT_EQ(another.release(), release_answer::released);
    EXPECT_EQ(two.release(), release_answer::released);
    EXPECT_TRUE((shared_mutex{there, name}.try_acquire_for(long_wait)));
    EXPECT_TRUE((counting_semaphore{there, permits, 3}.try_acquire_for(3, long_wait)));
    EXPECT_THAT(keys_on(from, name), IsEmpty());
}

/// Locks of other libraries' layouts: who waits is woken by a message, wherever the slot is.
class redis_cluster_layouts : public redis_cluster_move,
                              public testing::WithParamInterface<std::string> {
protected:
    /// How long after the release the waiter has the lock. A waiter that hears no message polls
    /// every 100 to 200 ms at least.
    [[nodiscard]] static milliseconds wake_up(client& holder, client& waiter,
                                              const std::string& lock) {
        auto hold = mutex{holder, lock}.acquire();
        auto next = wait_for_lock(waiter, lock);
        EXPECT_FALSE(next.done_within(250ms)) << "P1";
        const stopwatch watch;
        hold.release();
        EXPECT_TRUE(next.get().valid());
        return watch.elapsed();
    }
};

INSTANTIATE_TEST_SUITE_P(layout, redis_cluster_layouts,
                         testing::Values("?layout=plain", "?layout=plain&fencing=yes",
                                         "?layout=redisson", "?layout=redisson&fencing=yes",
                                         "?layout=redisson&sharded=yes"));

TEST_P(redis_cluster_layouts, wake_waiters_on_every_node) {
    client here = connect(GetParam());
    client there = connect(GetParam());
    std::set<const redis_server*> used;
    for (int i = 0; used.size() < group.nodes.size(); ++i) {
        const auto lock = "stock" + std::to_string(i);
        if (!used.insert(&group.master_of(lock)).second) { continue; }
        EXPECT_LT(quickest_of(3, [&] { return wake_up(here, there, lock); }), scaled(80ms)) << lock;
    }
}

TEST_P(redis_cluster_layouts, wake_waiters_after_their_slot_has_moved) {
    client here = connect(GetParam(), {.connect_wait = long_wait});
    client there = connect(GetParam(), {.connect_wait = long_wait});
    const auto lock = std::string{"stock"};
    auto hold = mutex{here, lock, {.lease = lease_of_a_minute}}.acquire();
    auto next = wait_for_lock(there, lock);
    EXPECT_FALSE(next.done_within(100ms));
    auto& target = group.other_master(group.master_of(lock));
    group.move_slot(group.slot_of(lock), target);
    EXPECT_FALSE(next.done_within(300ms)) << "P1";
    EXPECT_TRUE(hold.valid());
    hold.release();
    EXPECT_TRUE(next.get().valid());
    EXPECT_LT(quickest_of(3, [&] { return wake_up(here, there, lock); }), scaled(80ms));
    EXPECT_LT(quickest_of(3, [&] { return wake_up(there, here, lock); }), scaled(80ms));
}

TEST_P(redis_cluster_layouts, exclude_each_other_while_their_slot_moves) {
    client here = connect(GetParam(), {.connect_wait = long_wait});
    client there = connect(GetParam(), {.connect_wait = long_wait});
    const auto lock = std::string{"stock"};
    auto& source = group.master_of(lock);
    auto& target = group.other_master(source);
    const auto moved = group.slot_of(lock);
    auto hold = mutex{here, lock, {.lease = lease_of_a_minute}}.try_acquire_for(long_wait);
    ASSERT_TRUE(hold);
    group.begin_move(moved, source, target);
    std::error_code failure;
    EXPECT_FALSE((mutex{there, lock}.try_acquire_for(300ms, {}, failure))) << "P1";
    group.move_keys(moved, source, target);
    EXPECT_FALSE((mutex{there, lock}.try_acquire_for(300ms, {}, failure))) << "P1";
    group.finish_move(moved, target);
    EXPECT_FALSE((mutex{there, lock}.try_acquire_for(300ms, {}, failure))) << "P1";
    EXPECT_FALSE(failure) << "busy";
    hold->release();
    EXPECT_TRUE((mutex{there, lock}.try_acquire_for(long_wait)));
}

} // namespace
} // namespace holdfast::test
