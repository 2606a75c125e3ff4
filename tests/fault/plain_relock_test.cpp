// layout::plain: lock() by the thread that holds the lock renews it, on the terms of the new call.

#include "fault/redis_fixture.hpp"

#include <stop_token>
#include <system_error>
#include <thread>

namespace holdfast::test {
namespace {

/// For a busy machine. Without the terms of the call it would be 7.5 s, a quarter of the lease.
constexpr milliseconds slack = scaled(1000ms);

class plain_relock : public redis_fault {
protected:
    /// What a call of the holder gives while the server does not answer.
    struct outcome {
        bool locked = false;
        std::error_code failure{};
        milliseconds took{0};
    };
    template <class Call>
    [[nodiscard]] outcome while_stopped(Call call) {
        outcome out;
        server.pause();
        const stopwatch watch;
        out.locked = call(out.failure);
        out.took = watch.elapsed();
        server.resume();
        return out;
    }
    /// It did no harm: the thread still holds the lock, and one unlock() is enough.
    void expect_held_once(mutex& lock) {
        EXPECT_TRUE(lock.valid());
        lock.unlock();
        EXPECT_TRUE(eventually([&] { return keys().empty(); }));
    }

    client here{server.url() + "?connect_timeout=300"};
    mutex stock{here, "stock", {.layout = layout::plain}};
};

TEST_F(plain_relock, with_a_lease_that_leaves_no_room_for_the_margin_of_the_hold_is_refused) { // P2
    const lock_options options{
        .lease = 10s, .margin = 2s, .layout = layout::plain, .fencing = true};
    mutex fenced{here, "order", options};
    fenced.lock();
    const auto token = fenced.token();
    std::error_code failure;
    EXPECT_FALSE(fenced.lock({.lease = 1s, .margin = 100ms}, failure)); // fit for a new hold
    EXPECT_EQ(failure, errc::invalid_option);
    EXPECT_TRUE(fenced.valid());
    EXPECT_EQ(fenced.token(), token);
    client there{server.url()};
    EXPECT_FALSE((mutex{there, "order", options}.try_acquire()));
    EXPECT_TRUE(fenced.lock({.lease = 5s, .margin = 100ms}, failure)) << failure.message();
    EXPECT_EQ(fenced.token(), token);
    fenced.unlock();
}

TEST_F(plain_relock, waits_no_longer_than_the_caller) { // P9
    stock.lock();
    const auto result =
        while_stopped([&](std::error_code& failure) { return stock.try_lock_for(200ms, failure); });
    EXPECT_FALSE(result.locked);
    EXPECT_EQ(result.failure, errc::unavailable);
    EXPECT_LT(result.took, 200ms + slack);
    expect_held_once(stock);
}

TEST_F(plain_relock, by_a_try_is_one_attempt) { // P9
    stock.lock();
    const auto result =
        while_stopped([&](std::error_code& failure) { return stock.try_lock(failure); });
    EXPECT_FALSE(result.locked);
    EXPECT_EQ(result.failure, errc::unavailable);
    EXPECT_LT(result.took, 300ms + slack);
    expect_held_once(stock);
}

TEST_F(plain_relock, ends_when_a_stop_is_requested) {
    stock.lock();
    std::stop_source source;
    const auto result = while_stopped([&](std::error_code& failure) {
        const std::jthread stopper{[&] {
            std::this_thread::sleep_for(50ms);
            source.request_stop();
        }};
        return stock.lock({.stop = source.get_token()}, failure);
    });
    EXPECT_FALSE(result.locked);
    EXPECT_EQ(result.failure, errc::cancelled);
    EXPECT_LT(result.took, 50ms + slack);
    expect_held_once(stock);
}

TEST_F(plain_relock, of_a_try_that_is_stopped_gives_up_without_a_failure) {
    stock.lock();
    std::stop_source source;
    const auto result = while_stopped([&](std::error_code& failure) {
        const std::jthread stopper{[&] {
            std::this_thread::sleep_for(50ms);
            source.request_stop();
        }};
        return stock.try_lock_for(1h, {.stop = source.get_token()}, failure);
    });
    EXPECT_FALSE(result.locked);
    EXPECT_FALSE(result.failure) << result.failure.message();
    EXPECT_LT(result.took, 50ms + slack);
    expect_held_once(stock);
}

// The default margin is that of the new lease: a twentieth of it, and at least 50 ms.
TEST_F(plain_relock, with_a_short_lease_and_the_default_margin_ends_in_time) { // P2
    stock.lock();
    ASSERT_TRUE(stock.try_lock({.lease = 200ms}));
    EXPECT_GT(server.command({"PTTL", "stock"}).number(), 20'000) << "it is only ever raised";
    server.pause(); // no renewal arrives
    const stopwatch watch;
    const auto lost = stock.lost();
    EXPECT_TRUE(eventually([&] { return !stock.valid(); }));
    EXPECT_LT(watch.elapsed(), 150ms + slack);
    server.resume();
    EXPECT_TRUE(eventually([&] { return lost.stop_requested(); }));
    client there{server.url()};
    EXPECT_FALSE((mutex{there, "stock", {.layout = layout::plain}}.try_lock_for(0ms)));
}

} // namespace
} // namespace holdfast::test
