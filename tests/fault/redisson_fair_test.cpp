// layout::redisson_fair: the keys and messages of Redisson's fair lock. The test acts as Redisson
// by raw commands; interop/ has the real one.

// compiled alone: other files of the folder have constants of the same names

#include "fault/redis_fixture.hpp"

#include <thread>

namespace holdfast::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string queue = "redisson_lock_queue:{stock}";
const std::string timeouts = "redisson_lock_timeout:{stock}";
const std::string java = "0b1c2d3e-aaaa-4bbb-8ccc-0123456789ab:57"; ///< an owner as Redisson's

class redisson_fair : public redis_fault {
protected:
    [[nodiscard]] std::vector<std::string> waiters() {
        std::vector<std::string> all;
        const auto found = server.command({"LRANGE", queue, "0", "-1"});
        for (const auto& each : found.items()) { all.push_back(each.string()); }
        return all;
    }
    [[nodiscard]] std::int64_t server_ms() {
        const auto time = server.command({"TIME"}).items();
        return std::stoll(time.at(0).string()) * 1'000 + std::stoll(time.at(1).string()) / 1'000;
    }
    /// How much longer it is waited for at the head.
    [[nodiscard]] std::int64_t patience(const std::string& owner) {
        return std::stoll(server.command({"ZSCORE", timeouts, owner}).string()) - server_ms();
    }
    void hold_as_java(milliseconds ttl) {
        server.command({"HSET", "stock", java, "1"});
        server.command({"PEXPIRE", "stock", std::to_string(ttl.count())});
    }
    /// It waits for 300 s unless it is told otherwise.
    void queue_as_java(const std::string& owner, std::int64_t ms) {
        server.command({"ZADD", timeouts, std::to_string(server_ms() + ms), owner});
        server.command({"RPUSH", queue, owner});
    }
    [[nodiscard]] auto waiting(client& by) { return wait_for(by, {}, "stock"); }
    [[nodiscard]] bool will_queue(std::size_t count) {
        return eventually([&] { return waiters().size() == count; });
    }

    client here{server.url() + "?layout=redisson_fair"};
    client there{server.url() + "?layout=redisson_fair"};
};

TEST_F(redisson_fair, without_waiters_is_redissons_usual_lock) {
    auto held = mutex{here, "stock"}.acquire();
    EXPECT_EQ(server.command({"HGETALL", "stock"}).text(), "[" + held.owner() + ", 1, mode, hf]");
    EXPECT_THAT(keys(), ElementsAre("stock"));
    EXPECT_FALSE((mutex{there, "stock"}.try_acquire()));
    EXPECT_THAT(keys(), ElementsAre("stock")) << "a try does not queue";
    EXPECT_EQ(held.release(), release_answer::released);
    EXPECT_TRUE(eventually([&] { return keys().empty(); }));
}

TEST_F(redisson_fair, serves_waiters_in_order_and_wakes_each_by_its_own_message) {
    hold_as_java(30s);
    auto first = waiting(here);
    ASSERT_TRUE(will_queue(1));
    queue_as_java("java:2", 300'000);
    auto third = waiting(there);
    ASSERT_TRUE(will_queue(3));
    const auto owners = waiters();
    EXPECT_GT(patience(owners.at(2)), 300'000) << "behind one who waits so long";
    std::this_thread::sleep_for(50ms); // it listens
    server.command({"DEL", "stock"});
    const stopwatch since;
    server.command({"PUBLISH", "redisson_lock__channel:{stock}:" + owners.at(0), "0"});
    auto held = first.get();
    EXPECT_LT(since.elapsed(), scaled(150ms));
    EXPECT_EQ(held.owner(), owners.at(0));
    EXPECT_THAT(waiters(), ElementsAre("java:2", owners.at(2)));

    redis_raw listener{server.port()};
    const auto channel = "redisson_lock__channel:{stock}:java:2";
    (void)listener.ask({"SUBSCRIBE", channel});
    held.release();
    EXPECT_EQ(listener.read()->text(), std::string{"[message, "} + channel + ", 0]");
    EXPECT_FALSE(third.done_within(1s)) << "the lock is free, but Java is ahead";
    server.command({"LPOP", queue}); // it takes the lock
    server.command({"ZREM", timeouts, "java:2"});
    server.command({"ZINCRBY", timeouts, "-300000", owners.at(2)});
    hold_as_java(300ms);
    EXPECT_EQ(third.get().owner(), owners.at(2));
    EXPECT_TRUE(eventually([&] { return waiters().empty(); }));
}

TEST_F(redisson_fair, a_newcomer_does_not_pass_waiters_of_a_free_lock) { // P6
    queue_as_java("java:2", 60'000);
    EXPECT_FALSE((mutex{here, "stock"}.try_acquire()));
    EXPECT_FALSE((mutex{here, "stock"}.try_acquire_for(100ms)));
    EXPECT_TRUE(eventually([&] { return waiters() == std::vector<std::string>{"java:2"}; }))
        << "and leaves the queue when it gives up";
    EXPECT_EQ(server.command({"ZCARD", timeouts}).number(), 1);
}

TEST_F(redisson_fair, a_waiter_that_is_not_heard_of_is_passed_after_five_seconds) { // P7
    const auto held = mutex{here, "stock"}.acquire({.lease = 100ms, .renew = false});
    seam_client silent{server.url() + "?layout=redisson_fair"};
    ASSERT_EQ(silent.acquire(silent.ticket("stock"), {.queue = engine::queueing::hint}).status,
              engine::op_status::queued);
    const stopwatch since;
    const auto next = mutex{there, "stock"}.acquire();
    EXPECT_GT(since.elapsed(), 4s);
    EXPECT_LT(since.elapsed(), 5s + scaled(1s));
}

TEST_F(redisson_fair, a_waiter_that_asks_keeps_its_place_for_longer_than_that) { // P6
    hold_as_java(30s);
    auto first = waiting(here);
    ASSERT_TRUE(will_queue(1));
    const auto owner = waiters().at(0);
    queue_as_java("java:2", 305'000);
    EXPECT_TRUE(throughout(6s, [&] {
        const auto now = waiters();
        return now.size() == 2 && now.at(0) == owner && patience(owner) > 2'000;
    }));
    first.stop();
    EXPECT_EQ(complaint_of([&] { (void)first.get(); }).code, errc::cancelled);
    EXPECT_TRUE(eventually([&] { return waiters() == std::vector<std::string>{"java:2"}; }));
    EXPECT_LE(patience("java:2"), 300'000) << "one less is ahead of it";
}

TEST_F(redisson_fair, a_waiter_that_leaves_the_head_of_a_free_lock_wakes_the_next) { // P7
    seam_client silent{server.url() + "?layout=redisson_fair"};
    const auto held = silent.ticket("stock");
    const auto first = silent.ticket("stock");
    ASSERT_EQ(silent.acquire(held).status, engine::op_status::granted);
    ASSERT_EQ(silent.acquire(first, {.queue = engine::queueing::hint}).status,
              engine::op_status::queued);
    queue_as_java("java:2", 60'000);
    ASSERT_EQ(silent.release(held).status, engine::op_status::released);
    redis_raw listener{server.port()};
    (void)listener.ask({"SUBSCRIBE", "redisson_lock__channel:{stock}:java:2"});
    (void)silent.withdraw(first);
    EXPECT_TRUE(listener.read()) << "Redisson would let it wait";
}

TEST_F(redisson_fair, a_cancelled_acquire_leaves_no_place_behind) { // P8
    const auto held = mutex{here, "stock"}.acquire();
    seam_client asking{server.url() + "?layout=redisson_fair"};
    const auto ticket = asking.ticket("stock");
    ASSERT_EQ(asking.release(ticket).status, engine::op_status::not_held); // connects
    const auto id =
        asking.start(seam_client::acquire_op(ticket, {.queue = engine::queueing::hint}));
    asking.cancel(id);
    asking.drive_for(200ms);
    EXPECT_THAT(waiters(), IsEmpty());
}

TEST_F(redisson_fair, shows_its_waiters) {
    const auto held = mutex{here, "stock"}.acquire();
    queue_as_java(java, 60'000);
    auto ours = waiting(there);
    ASSERT_TRUE(will_queue(2));
    const auto seen = admin{here}.inspect("stock");
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->holders.at(0).owner, held.owner());
    ASSERT_EQ(seen->waiters.size(), 2U);
    EXPECT_EQ(seen->waiters.at(0).owner, java);
    ours.stop();
    EXPECT_EQ(complaint_of([&] { (void)ours.get(); }).code, errc::cancelled);
}

TEST_F(redisson_fair, a_break_wakes_the_next) {
    const auto watch = std::make_shared<recording_observer>();
    const client watched{server.url() + "?layout=redisson_fair", {.observer = watch}};
    const auto held = mutex{watched, "stock"}.acquire();
    auto next = waiting(here);
    ASSERT_TRUE(will_queue(1));
    std::this_thread::sleep_for(50ms);
    EXPECT_TRUE(admin{there}.break_lock("stock"));
    ASSERT_TRUE(watch->await(event::kind::lost));
    EXPECT_TRUE(next.done_within(scaled(1s)));
    (void)next.get();
    EXPECT_FALSE(admin{there}.break_lock("stock")) << "released again";
}

} // namespace
} // namespace holdfast::test
