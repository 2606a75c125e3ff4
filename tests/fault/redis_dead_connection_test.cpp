// Renewals, time-outs and unread replies: a working connection is kept, and a dead one costs no
// lease that has time left (P2).

#include "fault/redis_fixture.hpp"
#include "support/redis_fake.hpp"

#include <atomic>
#include <thread>

namespace holdfast::test {
namespace {

class redis_dead_connection : public redis_fault {
protected:
    /// Whether at least one of many leases of this length is renewed for five times that long: a
    /// busy machine may lose some of them.
    [[nodiscard]] static bool is_kept(client& here, milliseconds lease_time) {
        mutex stock{here, "stock"};
        for (int i = 0; i < 40; ++i) {
            const auto held = stock.acquire({.lease = lease_time});
            if (throughout(5 * lease_time, [&] { return held.valid(); })) { return true; }
        }
        return false;
    }
};

TEST_F(redis_dead_connection, does_not_cost_the_shortest_leases) {
    client here{server.url()};
    for (const auto lease_time : {100ms, 130ms, 155ms}) {
        EXPECT_TRUE(is_kept(here, lease_time)) << lease_time.count();
    }
}

TEST_F(redis_dead_connection, does_not_cost_a_lease_that_is_not_much_longer_than_timeout) {
    const auto watch = std::make_shared<recording_observer>();
    auto here = connect("", {.observer = watch}); // timeout is 2 s
    std::vector<lease> held;
    for (const auto way : {layout::native, layout::plain, layout::redisson}) {
        const auto name = "stock:" + std::to_string(static_cast<int>(way));
        held.push_back(mutex{here, name, {.lease = 3s, .layout = way}}.acquire());
    }
    between.half_open();
    ASSERT_TRUE(watch->await(event::kind::renewal_failed));
    EXPECT_TRUE(eventually(
        [&] {
            return std::ranges::all_of(held,
                                       [](const lease& each) { return each.remaining() > 2s; });
        },
        2500ms))
        << "renewed over another one";
    for (const auto& each : held) { EXPECT_TRUE(each.valid()) << each.name(); }
    EXPECT_FALSE(watch->first(event::kind::lost));
}

TEST_F(redis_dead_connection, does_not_cost_a_lease_of_a_hand_off) {
    auto holder = direct();
    auto here = connect("?timeout=10000");
    auto held = mutex{holder, "stock"}.acquire();
    auto waiting = wait_for(here);
    ASSERT_TRUE(will_wait(1));
    between.drop_answers({.with = call_of(scripts::beat)}, ending::silence); // its first renewal
    std::this_thread::sleep_for(20ms);
    held.release();
    auto got = waiting.get();
    EXPECT_TRUE(eventually([&] { return got.remaining() > 5s; }, 3s)) << "renewed on a new one";
    EXPECT_TRUE(got.valid());
}

TEST_F(redis_dead_connection, is_not_assumed_for_a_slow_server) {
    auto here = connect();
    (void)here.ping();
    // All replies are late: the renewal has half of the remaining time, some 290 ms.
    between.delay(0ms, 100ms);
    const auto held = mutex{here, "stock"}.acquire({.lease = scaled(1s)});
    const auto before = between.counts().connections;
    std::this_thread::sleep_for(scaled(1200ms));
    EXPECT_TRUE(held.valid());
    EXPECT_EQ(between.counts().connections, before);
}

// A waiter's client sleeps in poll() while another thread leads; its keeper rests.
TEST_F(redis_dead_connection, is_not_assumed_when_the_reply_to_a_renewal_is_unread) {
    auto holder = direct();
    client here{server.url()};
    auto held = mutex{holder, "stock"}.acquire();
    auto waiting = wait_for(here, {.renew = false}); // renewed once, as soon as it is handed over
    ASSERT_TRUE(will_wait(1));
    std::this_thread::sleep_for(250ms); // now the keeper rests for a second
    held.release();
    const auto got = waiting.get();
    EXPECT_TRUE(eventually([&] { return got.remaining() > 5s; }, 450ms));
}

// In a crowd, the reply `queued` stays unread for a while.

TEST_F(redis_dead_connection, is_not_assumed_when_a_suppressed_reply_is_unread) {
    auto holder = direct();
    const auto held = mutex{holder, "stock"}.acquire();
    for (const auto* const query : {"?timeout=150", "?timeout=100"}) {
        seam_client here{between.url() + query};
        ASSERT_TRUE(here.queue_up("stock", 8)); // from now on it is a crowd
        const auto before = between.counts().connections;
        for (int i = 0; i < 3; ++i) {
            const auto answer =
                here.acquire(here.ticket("stock"), {.queue = engine::queueing::grant});
            EXPECT_EQ(answer.status, engine::op_status::queued) << query << ' ' << answer.detail;
        }
        EXPECT_EQ(between.counts().connections, before) << query;
        server.command({"DEL", "hf:{stock}:q", "hf:{stock}:w"});
    }
}

TEST_F(redis_dead_connection, does_not_keep_extend_from_its_answer) {
    auto here = connect();
    auto held = mutex{here, "stock"}.acquire({.lease = 10s, .max_hold = 1h});
    between.cut(); // it is found out when the extension is sent
    held.extend(20s);
    EXPECT_GT(held.remaining(), 15s);
    between.drop_answers({.with = call_of(scripts::beat)});
    held.extend(30s);
    EXPECT_GT(held.remaining(), 25s);
    EXPECT_EQ(between.counts().dropped, 1U);
}

TEST_F(redis_dead_connection, that_does_not_heal_ends_extend_after_a_quarter_of_the_lease) {
    auto here = connect();
    auto held = mutex{here, "stock"}.acquire();
    between.refuse_new();
    between.cut();
    std::error_code failure;
    const stopwatch watch;
    held.extend(2s, failure);
    EXPECT_EQ(failure, errc::unknown_outcome);
    EXPECT_GE(watch.elapsed(), 490ms) << "it is tried for all that time";
    EXPECT_LT(watch.elapsed(), scaled(1500ms));
    EXPECT_LT(held.remaining(), 2s) << "lowered when it was sent";
}

// The socket takes a part of the bytes, the session sends the rest, and then no reply arrives.
TEST_F(redis_dead_connection, is_noticed_after_a_partial_write_too) {
    constexpr int most = 12'000; // more than the buffers of both sides take
    std::atomic<bool> reads{false};
    std::atomic<bool> greeted{false};
    redis_fake falls_silent{[&, seen = 0](const redis_fake::words& request) mutable {
        if (request.at(0) != "EVALSHA") { return redis_fake::usual(request); }
        greeted = true;
        (void)eventually([&] { return reads.load(); });
        return ++seen > most - 5 ? std::string{} : redis_fake::usual(request);
    }};
    const auto timeout = std::to_string(scaled(800ms).count());
    seam_client here{falls_silent.url() + "?timeout=" + timeout};
    std::vector<engine::op_id> all;
    const std::string note(256, 'x');
    all.push_back(here.start(seam_client::acquire_op(here.ticket("first"), {.note = note})));
    ASSERT_TRUE(eventually([&] {
        here.drive_for(1ms);
        return greeted.load();
    }));
    for (int i = 1; i < most; ++i) {
        all.push_back(here.start(
            seam_client::acquire_op(here.ticket(std::string(512, 'n')), {.note = note})));
    }
    here.send();
    reads = true;
    ASSERT_TRUE(eventually([&] {
        here.drive_for(5ms);
        return here.answer_to(all.back()).has_value();
    })) << "the last was sent, too, and is not waited for for ever";
    EXPECT_THAT(here.answer_to(all.back())->detail,
                testing::HasSubstr("no answer within " + timeout + " ms"));
}

} // namespace
} // namespace holdfast::test
