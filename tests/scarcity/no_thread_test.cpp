// Every thread that a client starts is refused once: it is told as an error that says what to do,
// nothing hangs or ends the process, and afterwards the client works.
#include "scarcity/scarcity_fixture.hpp"
#include "support/recording_observer.hpp"

#include <atomic>
#include <future>
#include <stop_token>

namespace {

using namespace holdfast::test;
using holdfast::client;
using holdfast::errc;
using holdfast::lease;
using holdfast::mutex;

HOLDFAST_SCARCITY(no_thread, "memory", "embedded", "redis");

/// What `action` throws: its code and its text.
template <typename Action>
std::pair<std::error_code, std::string> thrown_by(Action action) {
    try {
        action();
    } catch (const holdfast::error& thrown) { return {thrown.code(), thrown.what()}; }
    return {};
}

TEST_P(no_thread, to_renew_a_lock_is_an_error_of_lock) {
    auto fleet = connect();
    mutex lock{fleet, "stock"};
    scarce::refuse_thread(1);
    const auto [code, text] = thrown_by([&] { lock.lock(); });
    EXPECT_EQ(code, errc::limit_reached);
    EXPECT_NE(text.find("mutex \"stock\": the system refuses another thread"), std::string::npos)
        << text;
    EXPECT_NE(text.find("ulimit -u"), std::string::npos) << text;
    EXPECT_TRUE(scarce::settle().refused);
    expect_free("stock");

    scarce::refuse_thread(1);
    std::error_code failure;
    EXPECT_FALSE(lock.try_lock(failure));
    EXPECT_EQ(failure, errc::limit_reached);
    EXPECT_TRUE(scarce::settle().refused);
    expect_free("stock");
    expect_works(fleet, "stock");
}

TEST_P(no_thread, for_the_observer_is_an_error_of_lock) {
    const auto watch = std::make_shared<recording_observer>();
    client fleet{url(), {.observer = watch}};
    mutex lock{fleet, "stock"};
    scarce::refuse_thread(2); // the first is the keeper's
    EXPECT_EQ(thrown_by([&] { lock.lock(); }).first, errc::limit_reached);
    EXPECT_TRUE(scarce::settle().refused);
    expect_free("stock");
    expect_works(fleet, "stock");
    lock.unlock();
    EXPECT_TRUE(watch->await(holdfast::event::kind::unlock_not_held));
}

TEST_P(no_thread, for_loss_callbacks_is_an_error_of_lost) {
    auto fleet = connect();
    const auto held = mutex{fleet, "stock"}.acquire();
    scarce::refuse_thread(1);
    const auto [code, text] = thrown_by([&] { (void)held.lost(); });
    EXPECT_EQ(code, errc::limit_reached);
    EXPECT_NE(text.find("lost(): the system refuses another thread"), std::string::npos) << text;
    EXPECT_TRUE(scarce::settle().refused);
    EXPECT_TRUE(held.valid());
    std::promise<void> told;
    const std::stop_callback when_lost{held.lost(), [&] { told.set_value(); }};
    holdfast::admin{rival()}.break_lock("stock");
    EXPECT_EQ(told.get_future().wait_for(long_wait), std::future_status::ready);
}

TEST_P(no_thread, while_a_callback_hangs_makes_the_next_one_wait) {
    auto fleet = connect();
    const auto first = mutex{fleet, "first"}.acquire({.lease = 1s});
    const auto second = mutex{fleet, "second"}.acquire({.lease = 1s});
    std::promise<void> go_on;
    std::atomic<int> told{0};
    const auto hang = [&, ended = go_on.get_future().share()] {
        ++told;
        ended.wait();
    };
    const std::stop_callback when_first{first.lost(), hang};
    const std::stop_callback when_second{second.lost(), [&] { ++told; }};
    scarce::refuse_thread(1); // another one for callbacks
    holdfast::admin{rival()}.break_lock("first");
    ASSERT_TRUE(eventually([&] { return told == 1; }));
    holdfast::admin{rival()}.break_lock("second");
    EXPECT_TRUE(eventually([&] { return second.why_lost().has_value(); }));
    go_on.set_value();
    EXPECT_TRUE(eventually([&] { return told == 2; }));
    EXPECT_TRUE(scarce::settle().refused);
}

TEST_P(no_thread, at_any_point_of_a_clients_life) {
    const auto watch = std::make_shared<recording_observer>();
    const auto asked = refuse_each(
        scarce::refuse_thread,
        [&] {
            client fleet{url(), {.connect_wait = 2s, .observer = watch}};
            mutex lock{fleet, "stock"};
            for (int attempt = 0; attempt < 2; ++attempt) {
                throws_what_it_may([&] {
                    const auto held = lock.acquire({.lease = 1s});
                    std::atomic<bool> told{false};
                    const std::stop_callback when_lost{held.lost(), [&] { told = true; }};
                    holdfast::admin{rival()}.break_lock("stock");
                    EXPECT_TRUE(eventually([&] { return told.load(); }));
                });
            }
        },
        [&] { expect_free("stock"); });
    EXPECT_GE(asked, 2U);
    EXPECT_TRUE(watch->first(holdfast::event::kind::lost));
}

} // namespace
