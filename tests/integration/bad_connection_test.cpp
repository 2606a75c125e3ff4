// The whole client over a real engine whose requests and answers get lost.

#include "holdfast/api/access.hpp"
#include "holdfast/core/client_core.hpp"
#include "holdfast/engine/factory.hpp"
#include "support/faulty_engine.hpp"
#include "support/recording_observer.hpp"

#include <holdfast/holdfast.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using base::boot_clock;

bool soon(const std::function<bool()>& what, std::chrono::milliseconds within = 5s) {
    const auto until = boot_clock::now() + within;
    while (!what()) {
        if (boot_clock::now() > until) { return false; }
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

class bad_connection : public testing::Test {
protected:
    static inline std::atomic<int> stores{0};
    const std::string url_ = "memory:bad_connection_" + std::to_string(++stores);
    std::shared_ptr<faults> line_ = std::make_shared<faults>();
    std::shared_ptr<core::client_core> core_ = faulty_client(line_);
    client good_{url_};

    std::shared_ptr<core::client_core> faulty_client(const std::shared_ptr<faults>& faults,
                                                     std::chrono::milliseconds connect_wait = 2s,
                                                     std::shared_ptr<observer> watch = {}) {
        auto identity = engine::this_process();
        auto real = engine::make_engine(engine::url::parse(url_), identity);
        return std::make_shared<core::client_core>(
            std::make_unique<faulty_engine>(std::move(real), faults), identity,
            client_options{.connect_wait = connect_wait, .observer = std::move(watch)});
    }

    core::acquire_result acquire(const lock_options& options,
                                 detail::wait_limit wait = detail::wait_limit::from(2s),
                                 const std::string& name = "name") {
        return core_->acquire(core::lock_request{.name = name, .options = options}, wait, {});
    }
    lease take(const lock_options& options, const std::string& name = "name") {
        auto result = acquire(options, detail::wait_limit::from(2s), name);
        EXPECT_TRUE(result.hold) << result.failure.message();
        return detail::access::make_lease(core_, std::move(result.hold));
    }
    std::size_t waiters() const {
        const auto info = admin{good_}.inspect("name");
        return info ? info->waiters.size() : 0;
    }
};

// P2
TEST_F(bad_connection, a_holder_is_told_in_time_when_the_engine_hangs) {
    const auto before = boot_clock::now();
    const auto held = take({.lease = 300ms});
    const auto after = boot_clock::now();
    line_->freeze();
    std::atomic<boot_clock::rep> told{0};
    const std::stop_callback hear{held.lost(),
                                  [&] { told = boot_clock::now().time_since_epoch().count(); }};
    const auto kept = 300ms - (3ms + 2ms) - 50ms;
    while (boot_clock::now() < before + kept - 20ms) {
        ASSERT_TRUE(held.valid());
        std::this_thread::sleep_for(1ms);
    }
    ASSERT_TRUE(soon([&] { return !held.valid(); }, 100ms));
    EXPECT_LE(boot_clock::now(), after + kept + 20ms);
    ASSERT_TRUE(soon([&] { return told != 0; }, 1s));
    const base::instant fired{base::duration{told.load()}};
    EXPECT_GE(fired, before + kept - 1ms);
    EXPECT_LE(fired, after + kept + 100ms); // 20 ms while scheduled: the machine may be busy
    EXPECT_EQ(held.why_lost(), loss::expired);
}

// P2: loss is final
TEST_F(bad_connection, a_renewal_that_arrives_after_the_loss_is_undone) {
    auto held = take({.lease = 400ms});
    std::this_thread::sleep_for(50ms);
    line_->freeze();
    ASSERT_TRUE(soon([&] { return held.why_lost().has_value(); }));
    line_->thaw(); // the renewals arrive now: the engine begins whole new leases, if it still can
    mutex other{good_, "name"};
    const auto start = boot_clock::now();
    const auto next = other.try_acquire_for(2s, {.lease = 1s});
    ASSERT_TRUE(next);
    EXPECT_LT(boot_clock::now() - start, 1s);
    EXPECT_FALSE(held.valid());
    EXPECT_GT(next->token(), held.token());
}

// P5
TEST_F(bad_connection, an_acquire_whose_answer_was_lost_is_one_hold) {
    line_->lose_answers(1);
    auto held = take({.lease = 1s});
    EXPECT_TRUE(held.valid());
    const auto info = admin{good_}.inspect("name");
    ASSERT_TRUE(info);
    EXPECT_EQ(info->holders.size(), 1U);
    EXPECT_EQ(info->holders.at(0).token, held.token());
    EXPECT_EQ(held.release(), release_answer::released);
    EXPECT_FALSE(admin{good_}.inspect("name"));
}

// P5
TEST_F(bad_connection, a_release_whose_answer_was_lost_is_sent_again_and_says_released) {
    auto held = take({.lease = 5s});
    line_->lose_answers(1);
    EXPECT_EQ(held.release(), release_answer::released);
    EXPECT_FALSE(admin{good_}.inspect("name"));
}

// P5: an answer that was lost is neither success nor busy
TEST_F(bad_connection, an_engine_that_never_answers_is_unavailable_not_busy) {
    core_ = faulty_client(line_, 200ms);
    line_->freeze();
    const auto start = boot_clock::now();
    const auto result = acquire({}, detail::wait_limit::none());
    EXPECT_FALSE(result.hold);
    EXPECT_EQ(result.failure, errc::unavailable);
    EXPECT_NE(result.detail.find("frozen"), std::string::npos) << result.detail;
    EXPECT_GE(boot_clock::now() - start, 200ms);
    EXPECT_LT(boot_clock::now() - start, 2s);
}

// P5, P8: what nobody waits for any more takes no lock, however late it arrives
TEST_F(bad_connection, requests_that_arrive_after_the_caller_gave_up_leave_nothing_behind) {
    line_->freeze();
    const auto result = acquire({}, detail::wait_limit::from(100ms));
    EXPECT_FALSE(result.hold);
    EXPECT_EQ(result.failure, errc::unavailable); // patience ended, but not because it was taken
    line_->thaw();
    EXPECT_TRUE(soon([&] {
        auto lock = mutex{good_, "name"}.try_acquire();
        return lock.has_value();
    }));
    EXPECT_EQ(waiters(), 0U);
}

TEST_F(bad_connection, a_withdrawal_without_an_answer_is_reported_when_its_client_ends) {
    const auto watch = std::make_shared<recording_observer>();
    core_ = faulty_client(line_, 2s, watch);
    line_->freeze();
    EXPECT_FALSE(acquire({}, detail::wait_limit::from(100ms)).hold);
    core_.reset();
    const auto told = watch->await(event::kind::withdraw_failed);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->name, "name");
}

// P7
TEST_F(bad_connection, a_waiter_whose_wake_up_was_lost_gets_the_lock_within_a_second) {
    mutex other{good_, "name"};
    auto first = other.acquire();
    std::jthread waiter{[&] {
        auto got = take({.lease = 2s});
        EXPECT_TRUE(got.valid());
    }};
    ASSERT_TRUE(soon([&] { return waiters() == 1; }));
    line_->freeze();
    EXPECT_EQ(first.release(), release_answer::released);
    ASSERT_TRUE(soon([&] { return line_->lost_notices == 1; }));
    line_->thaw();
    const auto start = boot_clock::now();
    waiter.join();
    EXPECT_LT(boot_clock::now() - start, 1500ms);
}

// P7: it asked again for ever, and was answered "busy"
TEST_F(bad_connection, a_waiter_whose_grant_is_broken_before_it_learns_of_it_is_served_later) {
    mutex other{good_, "name"};
    auto first = other.acquire();
    std::jthread waiter{[&] {
        auto got = take({.lease = 2s});
        EXPECT_TRUE(got.valid());
    }};
    ASSERT_TRUE(soon([&] { return waiters() == 1; }));
    line_->freeze();
    EXPECT_EQ(first.release(), release_answer::released);
    ASSERT_TRUE(soon([&] { return line_->lost_notices == 1; }));
    EXPECT_TRUE(admin{good_}.break_lock("name"));
    line_->thaw();
    const auto start = boot_clock::now();
    waiter.join();
    EXPECT_LT(boot_clock::now() - start, 1500ms);
    EXPECT_FALSE(admin{good_}.inspect("name"));
}

// P9
TEST_F(bad_connection, many_leases_are_renewed_in_batches_of_a_stated_size) {
    std::vector<lease> all;
    constexpr int count = 1200;
    for (int i = 0; i < count; ++i) {
        all.push_back(take({.lease = 3s}, "name:" + std::to_string(i)));
    }
    const auto sent_before = line_->submitted.load();
    const auto began = boot_clock::now();
    ASSERT_TRUE(soon([&] { return boot_clock::now() > began + 3500ms; }, 10s));
    for (const auto& one : all) { ASSERT_TRUE(one.valid()); }
    EXPECT_LE(line_->largest_batch.load(), engine::max_beat_items);
    EXPECT_GT(line_->batches.load(), 0U);
    // Each was renewed about three times; one by one that would have been thousands of requests.
    EXPECT_LT(line_->submitted.load() - sent_before, 1200U);
}

// P2: slow callbacks delay nobody
TEST_F(bad_connection, a_slow_loss_callback_delays_no_other_lease) {
    const auto slow = take({.lease = 200ms, .renew = false}, "slow");
    const auto other = take({.lease = 300ms, .renew = false}, "other");
    std::atomic<bool> in_callback{false};
    std::atomic<bool> let_go{false};
    std::atomic<bool> told{false};
    const std::stop_callback dawdle{slow.lost(), [&] {
                                        in_callback = true;
                                        soon([&] { return let_go.load(); });
                                    }};
    const std::stop_callback hear{other.lost(), [&] { told = true; }};
    ASSERT_TRUE(soon([&] { return in_callback.load(); }));
    EXPECT_TRUE(soon([&] { return told.load(); }, 1s));
    let_go = true;
}

} // namespace
} // namespace holdfast::test
