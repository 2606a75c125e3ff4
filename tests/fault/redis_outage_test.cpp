// How long a caller waits for a server that is down, hangs, or refuses it: never longer than its
// time limit (P9); and a request without a reply is `unavailable`, not "busy" (P5).

#include "fault/redis_fixture.hpp"
#include "support/net_listener.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// On a busy machine; without the fix it takes five seconds.
constexpr milliseconds promptly = scaled(700ms);

class redis_outage : public redis_fault {
protected:
    using attempt = std::function<void(mutex&, std::error_code&)>;

    /// Every way to try, and every way to wait for less than a second.
    [[nodiscard]] static std::vector<attempt> tries() {
        return {[](mutex& stock, std::error_code& failure) { (void)stock.try_lock(failure); },
                [](mutex& stock, std::error_code& failure) { (void)stock.try_acquire(failure); },
                [](mutex& stock, std::error_code& failure) {
                    (void)stock.try_acquire_for(0ms, {}, failure);
                },
                [](mutex& stock, std::error_code& failure) {
                    (void)stock.try_acquire_until(std::chrono::steady_clock::now() - 1s, {},
                                                  failure);
                }};
    }
    /// Runs all of them, each must fail with `unavailable`; returns the longest duration.
    static milliseconds longest_of(client& here, const std::vector<attempt>& all) {
        milliseconds longest{0};
        for (const auto& each : all) {
            mutex stock{here, "stock"};
            std::error_code failure;
            const stopwatch watch;
            each(stock, failure);
            longest = std::max(longest, watch.elapsed());
            EXPECT_EQ(failure, errc::unavailable);
        }
        return longest;
    }
    static milliseconds wait_for_it(client& here, milliseconds patience) {
        std::error_code failure;
        const stopwatch watch;
        EXPECT_FALSE((mutex{here, "stock"}.try_acquire_for(patience, {}, failure)));
        EXPECT_EQ(failure, errc::unavailable) << "P5: nobody has said that it is held";
        return watch.elapsed();
    }
};

TEST_F(redis_outage, of_a_server_that_is_down_ends_a_try_at_once) {
    server.kill();
    client here{server.url()};
    EXPECT_LT(longest_of(here, tries()), promptly);
    EXPECT_LT(longest_of(here, tries()), promptly) << "nor is the next attempt waited for";
}

TEST_F(redis_outage, that_began_after_it_was_used_ends_a_try_at_once) {
    client here{server.url()};
    (void)here.ping();
    server.kill();
    EXPECT_LT(longest_of(here, tries()), promptly);
}

TEST_F(redis_outage, of_a_server_that_hangs_ends_a_try_after_connect_timeout) {
    client here{server.url() + "?connect_timeout=200"};
    (void)here.ping();
    client stranger{server.url() + "?connect_timeout=200"};
    server.pause();
    for (auto* const each : {&here, &stranger}) {
        const auto took = longest_of(*each, {tries().front()});
        EXPECT_GE(took, 190ms);
        EXPECT_LT(took, 200ms + promptly);
    }
    server.resume();
}

TEST_F(redis_outage, bounds_a_wait_by_its_time_limit) {
    client here{server.url()};
    (void)here.ping();
    client stranger{server.url()};
    server.pause();
    for (auto* const each : {&here, &stranger}) {
        for (const auto patience : {100ms, 300ms}) {
            const auto took = wait_for_it(*each, patience);
            EXPECT_GE(took, patience - 1ms);
            EXPECT_LT(took, patience + promptly);
        }
    }
    server.kill();
    for (const auto patience : {10ms, 100ms, 300ms}) {
        EXPECT_LT(wait_for_it(here, patience), patience + promptly);
    }
}

TEST_F(redis_outage, does_not_make_a_lock_wait_longer_than_connect_wait) {
    server.kill();
    for (const auto patience : {200ms, 1300ms}) { // by then the next attempt is a second away
        client here{server.url(), {.connect_wait = patience}};
        std::error_code failure;
        const stopwatch watch;
        EXPECT_FALSE((mutex{here, "stock"}.lock(failure)));
        EXPECT_EQ(failure, errc::unavailable);
        EXPECT_GE(watch.elapsed(), patience - 1ms) << "it is tried for all that time";
        EXPECT_LT(watch.elapsed(), patience + scaled(150ms));
    }
}

TEST_F(redis_outage, leaves_nothing_of_a_try_that_was_not_answered) { // P5, P8
    auto here = connect("?connect_timeout=150");
    (void)here.ping();
    between.hold_answers({.with = call_of(scripts::acquire)});
    EXPECT_GT(longest_of(here, {tries().front()}), 100ms);
    EXPECT_EQ(between.counts().held, 1U) << "it was granted, and nobody knows";
    EXPECT_GT(stored_token(), 0U);
    EXPECT_TRUE(eventually([&] { return !is_held(); }, scaled(3s)));
    between.release();
    EXPECT_TRUE((mutex{here, "stock"}.try_acquire()));
}

TEST_F(redis_outage, leaves_nothing_of_a_try_on_a_connection_that_died) { // P5, P8
    auto here = connect("?connect_timeout=150&timeout=400");
    (void)here.ping();
    between.drop_answers({.with = call_of(scripts::acquire)}, ending::silence);
    EXPECT_GT(longest_of(here, {tries().front()}), 100ms);
    ASSERT_TRUE(is_held());
    EXPECT_TRUE(eventually([&] { return !is_held(); }, scaled(3s)));
}

TEST_F(redis_outage, of_only_a_broken_connection_is_no_error_of_a_try) {
    auto here = connect();
    (void)here.ping();
    for (int i = 0; i < 5; ++i) {
        between.cut();
        EXPECT_TRUE((mutex{here, "stock"}.try_acquire())) << "a new connection is made for it";
    }
    between.drop_answers({.with = call_of(scripts::acquire)});
    EXPECT_TRUE((mutex{here, "stock"}.try_acquire())) << "asked again on a new one";
    EXPECT_EQ(between.counts().dropped, 1U);
}

TEST_F(redis_outage, is_not_reported_to_a_try_when_scripts_are_lost) {
    client here{server.url()};
    (void)here.ping();
    server.command({"SCRIPT", "FLUSH"});
    EXPECT_TRUE((mutex{here, "stock"}.try_acquire()));
}

// connect_wait = 0: one attempt.

TEST_F(redis_outage, absent_leaves_a_client_with_single_attempts_working) {
    client here{server.url(), {.connect_wait = 0ms}};
    (void)here.ping();
    mutex stock{here, "stock"};
    EXPECT_TRUE(stock.try_acquire());
    EXPECT_TRUE(stock.try_acquire_for(5s));
    stock.lock();
    stock.unlock();
    EXPECT_FALSE(is_held());
    EXPECT_EQ(stock.acquire().release(), release_answer::released);
    auto held = stock.acquire({.lease = scaled(300ms)});
    std::this_thread::sleep_for(scaled(400ms));
    EXPECT_TRUE(held.valid()) << "renewed";
    held.extend(10s);
}

TEST_F(redis_outage, ends_every_call_of_a_client_with_single_attempts) {
    server.kill();
    client here{server.url(), {.connect_wait = 0ms}};
    EXPECT_LT(longest_of(here, tries()), promptly);
    const stopwatch watch;
    EXPECT_EQ(complaint_of([&] { (void)mutex{here, "stock"}.acquire(); }).code, errc::unavailable);
    EXPECT_EQ(complaint_of([&] { (void)here.ping(); }).code, errc::unavailable);
    EXPECT_LT(watch.elapsed(), 1s + promptly);
}

// Servers that refuse a client.

TEST_F(redis_outage, of_a_server_with_too_many_clients_is_temporary) {
    redis_server full{{.arguments = {"--maxclients", "1"}}}; // the test itself is that one
    client here{full.url()};
    const auto complaint = complaint_of([&] { (void)mutex{here, "stock"}.try_acquire(); });
    EXPECT_EQ(complaint.code, errc::unavailable) << complaint.text;
    EXPECT_THAT(complaint.text, HasSubstr("maxclients"));
    background asking{[&](const std::stop_token&) { return mutex{here, "stock"}.acquire(); }};
    EXPECT_FALSE(asking.done_within(100ms));
    full.command({"CONFIG", "SET", "maxclients", "100"});
    EXPECT_TRUE(asking.get().valid());
}

/// The error of a client whose server sends `text` and closes the connection.
complaint error_of_server_that_sends(const std::string& text, const char* scheme = "redis") {
    const listener listener;
    const background sending{[&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            const auto peer = listener.accept(20ms);
            if (!peer) { continue; }
            if (!text.empty()) { send_all(peer.get(), text); }
            (void)receive(peer.get(), 1, 200ms);
        }
        return 0;
    }};
    client here{std::string{scheme} + "://127.0.0.1:" + std::to_string(listener.port())};
    return complaint_of([&] { (void)mutex{here, "stock"}.try_acquire(); });
}

TEST_F(redis_outage, of_a_server_in_protected_mode_says_what_to_do) {
    const auto complaint = error_of_server_that_sends(
        "-DENIED Redis is running in protected mode because protected mode is enabled and no "
        "password is set for the default user. In this mode connections are only accepted from "
        "the loopback interface. If you want to connect from external computers to Redis you may "
        "adopt one of the following solutions: 1) Just disable protected mode.\r\n");
    EXPECT_EQ(complaint.code, errc::store_forbidden) << complaint.text;
    EXPECT_THAT(complaint.text, HasSubstr("protected mode"));
    EXPECT_THAT(complaint.text, HasSubstr("requirepass"));
    EXPECT_THAT(complaint.text, Not(HasSubstr("7.0 or later")));
    EXPECT_LT(complaint.text.size(), 500U) << "not the whole page";
}

TEST_F(redis_outage, of_a_server_that_hangs_up_on_the_greeting_hints_at_tls) {
    const auto complaint = error_of_server_that_sends("");
    EXPECT_EQ(complaint.code, errc::unavailable) << complaint.text;
    EXPECT_THAT(complaint.text, HasSubstr("rediss://"));
}

} // namespace
} // namespace holdfast::test
