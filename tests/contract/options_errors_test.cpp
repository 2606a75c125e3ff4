// P9 and errors: invalid options are refused before any request, by an error that names the field.
#include "contract/contract.hpp"

namespace {

using namespace holdfast::test;
using holdfast::acquire_options;
using holdfast::errc;
using holdfast::lock_options;

HOLDFAST_CONTRACT(options_errors);

struct bad_option {
    const char* field;
    lock_options options;
};

const std::vector<bad_option>& bad_options() {
    static const std::vector<bad_option> all{
        {"lease", {.lease = 0ms}},
        {"lease", {.lease = -1ms}},
        {"lease", {.lease = 99ms}},
        {"lease", {.lease = 24h + 1ms}},
        {"lease", {.lease = milliseconds::max()}},
        {"lease", {.lease = milliseconds::min()}},
        {"margin", {.lease = 10s, .margin = -1ms}},
        {"margin", {.lease = 10s, .margin = 5s}},
        {"margin", {.lease = 10s, .margin = milliseconds::max()}},
        {"max_hold", {.max_hold = -1ms}},
        {"max_hold", {.max_hold = std::chrono::hours{24 * 365} + 1ms}},
        {"min_hold", {.min_hold = -1ms}},
        {"min_hold", {.min_hold = std::chrono::hours{24 * 365} + 1ms}},
        {"min_hold", {.max_hold = 10s, .min_hold = 11s}},
        {"note", {.note = std::string(257, 'x')}},
    };
    return all;
}

/// The same for one call.
acquire_options for_a_call(const lock_options& options) {
    return {.lease = options.lease,
            .renew = options.renew,
            .max_hold = options.max_hold,
            .min_hold = options.min_hold,
            .margin = options.margin,
            .detached = options.detached,
            .note = options.note};
}

TEST_P(options_errors, a_constructor_refuses_bad_defaults_naming_the_field) { // P9
    auto fleet = connect();
    for (const auto& bad : bad_options()) {
        const auto& options = bad.options;
        const std::vector<std::function<void()>> makers{
            [&] {
                holdfast::mutex{fleet, "stock", options};
            },
            [&] {
                holdfast::recursive_mutex{fleet, "stock", options};
            },
            [&] {
                holdfast::shared_mutex{fleet, "stock", options};
            },
            [&] {
                holdfast::counting_semaphore{fleet, "stock", 2, options};
            }};
        for (const auto& make : makers) {
            EXPECT_EQ(failure_of(make), errc::invalid_option) << bad.field;
            EXPECT_NE(complaint_of(make).find(bad.field), std::string::npos)
                << bad.field << " is not in: " << complaint_of(make);
        }
    }
}

TEST_P(options_errors, an_acquire_refuses_bad_options_naming_the_field) { // P9
    auto fleet = connect();
    holdfast::mutex stock{fleet, "stock"};
    for (const auto& bad : bad_options()) {
        const auto options = for_a_call(bad.options);
        const std::vector<std::function<void()>> askers{
            [&] { (void)stock.acquire(options); }, [&] { (void)stock.try_acquire(options); },
            [&] { (void)stock.try_acquire_for(1s, options); }};
        for (const auto& ask : askers) {
            EXPECT_EQ(failure_of(ask), errc::invalid_option) << bad.field;
            EXPECT_NE(complaint_of(ask).find(bad.field), std::string::npos)
                << bad.field << " is not in: " << complaint_of(ask);
        }
        std::error_code failure;
        EXPECT_FALSE(stock.try_acquire(options, failure));
        EXPECT_EQ(failure, errc::invalid_option) << bad.field;
    }
    EXPECT_TRUE(look("stock").holders.empty());
}

TEST_P(options_errors, the_extreme_values_work) { // P9
    HOLDFAST_NEEDS(can().notes);
    auto fleet = connect();
    holdfast::mutex stock{fleet, "stock"};
    for (const auto& options : {acquire_options{.lease = 100ms}, acquire_options{.lease = 24h},
                                acquire_options{.lease = 10s, .margin = 4999ms},
                                acquire_options{.max_hold = 10s, .min_hold = 0ms},
                                acquire_options{.max_hold = std::chrono::hours{24 * 365}},
                                acquire_options{.note = std::string(256, 'x')}}) {
        EXPECT_TRUE(stock.try_acquire_for(long_wait, options));
    }
}

TEST_P(options_errors, bad_options_are_refused_before_any_request) { // P9
    HOLDFAST_NEEDS(!GetParam().dead_url.empty());
    holdfast::client dead{GetParam().dead_url, {.connect_wait = scaled(2s)}};
    holdfast::mutex stock{dead, "stock"};
    const stopwatch watch;
    for (const auto& bad : bad_options()) {
        const auto options = for_a_call(bad.options);
        EXPECT_EQ(failure_of([&] { (void)stock.acquire(options); }), errc::invalid_option)
            << bad.field;
    }
    EXPECT_EQ(failure_of([&] { (void)holdfast::admin{dead}.inspect(""); }), errc::invalid_name);
    EXPECT_LT(watch.elapsed(), scaled(1s));
}

TEST_P(options_errors, an_unreachable_store_is_a_clear_error_in_time) { // P9
    HOLDFAST_NEEDS(!GetParam().dead_url.empty());
    holdfast::client dead{GetParam().dead_url, {.connect_wait = 200ms}};
    holdfast::mutex stock{dead, "stock"};
    const stopwatch watch;
    const auto code = failure_of([&] { (void)stock.acquire(); });
    EXPECT_TRUE(code);
    EXPECT_LT(watch.elapsed(), 200ms + scaled(1s));
    EXPECT_EQ(code.category(), holdfast::category());

    // Each form reports the same error.
    std::error_code failure;
    EXPECT_FALSE(stock.acquire(failure));
    EXPECT_EQ(failure, code);
    EXPECT_FALSE(stock.try_acquire(failure));
    EXPECT_EQ(failure, code);
    EXPECT_FALSE(stock.try_lock(failure));
    EXPECT_EQ(failure, code);
    EXPECT_EQ(failure_of([&] { stock.lock(); }), code);
    EXPECT_EQ(failure_of([&] { dead.ping(); }), code);
    EXPECT_EQ(failure_of([&] { (void)holdfast::admin{dead}.inspect("stock"); }), code);
    if (can().lists) {
        EXPECT_EQ(failure_of([&] { (void)holdfast::admin{dead}.list(); }), code);
    }
    EXPECT_GT(complaint_of([&] { (void)stock.try_acquire(); }).size(), 20U);
}

TEST_P(options_errors, a_store_that_hangs_is_unavailable_after_connect_wait) { // P5, P9
    holdfast::client fleet{url(), {.connect_wait = 500ms}};
    holdfast::mutex stock{fleet, "stock"};
    { const auto once = stock.acquire(); }
    HOLDFAST_HANG_STORE();
    const stopwatch watch;
    EXPECT_EQ(failure_of([&] { (void)stock.try_acquire(); }), unreachable());
    EXPECT_GE(watch.elapsed(), 490ms);
    EXPECT_LT(watch.elapsed(), 500ms + scaled(500ms));
    EXPECT_EQ(failure_of([&] { (void)stock.acquire(); }), unreachable());
    std::error_code failure;
    EXPECT_FALSE(stock.lock(failure));
    EXPECT_EQ(failure, unreachable());
}

TEST_P(options_errors, a_wait_for_a_store_that_hangs_can_be_stopped) { // P9
    holdfast::client fleet{url(), {.connect_wait = long_wait}};
    holdfast::mutex stock{fleet, "stock"};
    { const auto once = stock.acquire(); }
    HOLDFAST_HANG_STORE();
    background waiter{[&](std::stop_token stop) {
        return failure_of([&] { (void)stock.acquire({.stop = stop}); });
    }};
    EXPECT_FALSE(waiter.done_within(50ms));
    const stopwatch watch;
    waiter.stop();
    EXPECT_EQ(waiter.get(), errc::cancelled);
    EXPECT_LT(watch.elapsed(), scaled(200ms));
}

TEST_P(options_errors, the_error_code_forms_clear_the_code_on_success) { // P5
    auto fleet = connect();
    holdfast::mutex stock{fleet, "stock"};
    const auto cleared = [](auto action) {
        std::error_code failure = errc::internal;
        action(failure);
        return !failure;
    };
    EXPECT_TRUE(cleared([&](auto& failure) { EXPECT_TRUE(stock.acquire(failure).valid()); }));
    EXPECT_TRUE(cleared([&](auto& failure) { EXPECT_TRUE(stock.acquire({}, failure)); }));
    EXPECT_TRUE(cleared([&](auto& failure) { EXPECT_TRUE(stock.try_acquire(failure)); }));
    EXPECT_TRUE(cleared([&](auto& failure) { EXPECT_TRUE(stock.try_acquire({}, failure)); }));
    EXPECT_TRUE(
        cleared([&](auto& failure) { EXPECT_TRUE(stock.try_acquire_for(1s, {}, failure)); }));
    EXPECT_TRUE(cleared([&](auto& failure) {
        const auto soon = std::chrono::steady_clock::now() + 1s;
        EXPECT_TRUE(stock.try_acquire_until(soon, {}, failure));
    }));
    EXPECT_TRUE(cleared([&](auto& failure) { EXPECT_TRUE(stock.lock(failure)); }));
    stock.unlock();
    EXPECT_TRUE(cleared([&](auto& failure) { EXPECT_TRUE(stock.try_lock(failure)); }));
    // Contention is no error either.
    auto rival = connect();
    holdfast::mutex theirs{rival, "stock"};
    EXPECT_TRUE(cleared([&](auto& failure) { EXPECT_FALSE(theirs.try_acquire(failure)); }));
    EXPECT_TRUE(cleared([&](auto& failure) { EXPECT_FALSE(theirs.try_lock(failure)); }));
    EXPECT_TRUE(
        cleared([&](auto& failure) { EXPECT_FALSE(theirs.try_acquire_for(10ms, {}, failure)); }));
    stock.unlock();
}

TEST_P(options_errors, a_negative_connect_wait_is_refused) { // P9
    const auto make = [&] { holdfast::client{url(), {.connect_wait = -1ms}}; };
    EXPECT_EQ(failure_of(make), errc::invalid_option);
    EXPECT_NE(complaint_of(make).find("connect_wait"), std::string::npos) << complaint_of(make);
}

} // namespace
