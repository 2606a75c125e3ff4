// P2: a lease stops being valid before the engine can grant the lock to another owner.
#include "contract/contract.hpp"
#include "holdfast/base/clock.hpp"

#include <algorithm>
#include <latch>

namespace {

using namespace holdfast::test;
using holdfast::base::boot_clock;
using holdfast::base::instant;

HOLDFAST_CONTRACT(validity);

/// A lease without renewals, and the instants between which its validity must end: N of P2 counts
/// from just before the request was sent, which is between the two clock readings here.
struct watched {
    instant before = boot_clock::now();
    holdfast::lease lease;
    instant earliest{};
    instant latest{};

    watched(holdfast::mutex& mutex, milliseconds length, milliseconds margin)
        : lease{mutex.acquire({.lease = length, .renew = false, .margin = margin})} {
        const auto after = boot_clock::now();
        const auto shown = margin > 0ms ? margin : std::max<milliseconds>(50ms, length / 20);
        const auto valid_for = length - (length / 100 + 2ms) - shown;
        earliest = before + valid_for;
        latest = after + valid_for;
    }
};

void expect_valid_until_then_only(holdfast::mutex& mutex, milliseconds length,
                                  milliseconds margin) {
    const watched held{mutex, length, margin};
    for (;;) {
        const auto before = boot_clock::now();
        const bool valid = held.lease.valid();
        const auto after = boot_clock::now();
        if (before >= held.latest) { ASSERT_FALSE(valid); }
        // A millisecond of tolerance: the drift may be rounded either way.
        if (after < held.earliest - 1ms) { ASSERT_TRUE(valid); }
        if (before > held.latest + 50ms) { return; }
        if (held.earliest - after > 5ms) { std::this_thread::sleep_for(1ms); }
    }
}

TEST_P(validity, a_lease_is_valid_until_its_margin_and_not_an_instant_longer) { // P2
    auto fleet = connect();
    holdfast::mutex stock{fleet, "stock"};
    expect_valid_until_then_only(stock, 250ms, 0ms);
}

// It was empty until the loss was reported.
TEST_P(validity, a_lease_that_is_not_valid_any_more_says_why) { // P2
    auto fleet = connect();
    for (int i = 0; i < 5; ++i) {
        const auto brief =
            holdfast::mutex{fleet, "brief"}.acquire({.lease = 120ms, .renew = false});
        while (brief.valid()) {}
        EXPECT_EQ(brief.why_lost(), holdfast::loss::expired);
        const auto longest =
            holdfast::mutex{fleet, "longest"}.acquire({.lease = 120ms, .max_hold = 120ms});
        while (longest.valid()) {}
        EXPECT_EQ(longest.why_lost(), holdfast::loss::max_hold);
    }
}

TEST_P(validity, the_margin_option_moves_that_instant) { // P2
    auto fleet = connect();
    holdfast::mutex stock{fleet, "stock"};
    expect_valid_until_then_only(stock, 300ms, 140ms);
    expect_valid_until_then_only(stock, 300ms, 5ms);
}

TEST_P(validity, remaining_is_the_time_until_validity_ends) { // P2
    auto fleet = connect();
    holdfast::mutex stock{fleet, "stock"};
    const watched held{stock, 300ms, 0ms};
    for (bool valid = true; valid;) {
        const auto at = boot_clock::now();
        const auto left = held.lease.remaining();
        if (left > 0ms) { EXPECT_LE(at + left, held.latest); } // 0 may be seen long after
        if (boot_clock::now() < held.earliest - 2ms) { EXPECT_GT(left, 0ms); }
        valid = held.lease.valid();
        std::this_thread::sleep_for(1ms);
    }
    EXPECT_EQ(held.lease.remaining(), 0ms);
}

TEST_P(validity, lost_is_signalled_within_20_ms_of_that_instant) { // P2
    auto fleet = connect();
    holdfast::mutex stock{fleet, "stock"};
    const auto late = quickest_of(4, [&] {
        const watched held{stock, scaled(150ms), 0ms};
        std::atomic<instant> told{instant{}};
        const std::stop_callback hear{held.lease.lost(), [&] { told = boot_clock::now(); }};
        EXPECT_TRUE(eventually([&] { return told.load() != instant{}; }));
        EXPECT_GE(told.load(), held.earliest - 1ms);
        EXPECT_EQ(held.lease.why_lost(), holdfast::loss::expired);
        return told.load() - held.latest;
    });
    EXPECT_LE(late, scaled(20ms));
}

TEST_P(validity, a_holder_is_notified_before_the_next_grant) { // P1b, P2
    auto fleet = connect();
    auto rival = connect();
    holdfast::mutex mine{fleet, "stock"};
    holdfast::mutex theirs{rival, "stock"};
    for (int round = 0; round < 3; ++round) {
        const watched held{mine, scaled(150ms), 0ms};
        std::optional<holdfast::lease> next;
        bool valid_after = true;
        ASSERT_TRUE(eventually([&] {
            next = theirs.try_acquire();
            valid_after = held.lease.valid();
            return next.has_value();
        }));
        EXPECT_FALSE(valid_after);
        EXPECT_TRUE(next->valid());
    }
}

TEST_P(validity, a_lost_lease_stays_lost) { // P2
    auto fleet = connect();
    auto held = holdfast::mutex{fleet, "stock"}.acquire({.lease = 120ms, .renew = false});
    ASSERT_TRUE(eventually([&] { return held.lost().stop_requested(); }));
    EXPECT_TRUE(throughout(scaled(100ms), [&] {
        return !held.valid() && held.remaining() == 0ms && held.lost().stop_requested();
    }));
    EXPECT_EQ(held.release(), holdfast::release_answer::already_lost);
}

TEST_P(validity, a_store_that_hangs_ends_validity_in_time) { // P2
    const auto watch = std::make_shared<recording_observer>();
    auto fleet = connect(watch);
    constexpr auto length = scaled(600ms);
    const auto held = holdfast::mutex{fleet, "stock"}.acquire({.lease = length});
    HOLDFAST_HANG_STORE();
    // No renewal can succeed from here on, so N is before this.
    const auto latest = boot_clock::now() + length;
    EXPECT_TRUE(eventually([&] { return held.lost().stop_requested(); }));
    EXPECT_LT(boot_clock::now(), latest + scaled(20ms));
    EXPECT_FALSE(held.valid());
    EXPECT_EQ(held.why_lost(), holdfast::loss::expired);
    EXPECT_TRUE(watch->await(holdfast::event::kind::renewal_failed));
    EXPECT_TRUE(watch->await(holdfast::event::kind::lost));
}

TEST_P(validity, a_holder_whose_data_was_lost_is_notified_by_its_next_renewal) { // P2
    auto fleet = connect();
    constexpr auto length = scaled(600ms);
    auto held = holdfast::mutex{fleet, "stock"}.acquire({.lease = length});
    if (!the_store().lose_data()) { GTEST_SKIP() << "this engine cannot lose its data"; }
    const stopwatch since_loss;
    EXPECT_TRUE(eventually([&] { return held.lost().stop_requested(); }));
    EXPECT_LT(since_loss.elapsed(), length);
    EXPECT_FALSE(held.valid());
    EXPECT_EQ(held.release(), holdfast::release_answer::already_lost);
}

TEST_P(validity, a_slow_callback_delays_neither_renewals_nor_callers) { // P2
    auto fleet = connect();
    const auto kept = holdfast::mutex{fleet, "kept"}.acquire({.lease = short_lease});
    auto doomed = holdfast::mutex{fleet, "doomed"}.acquire({.lease = 120ms, .renew = false});
    std::latch go_on{1};
    std::atomic<bool> entered{false};
    const std::stop_callback slow{doomed.lost(), [&] {
                                      entered = true;
                                      go_on.wait();
                                  }};
    EXPECT_TRUE(eventually([&] { return entered.load(); }));
    EXPECT_TRUE(throughout(2 * short_lease, [&] { return kept.valid(); }));
    EXPECT_TRUE((holdfast::mutex{fleet, "other"}.try_acquire()));
    go_on.count_down();
}

class slow_observer final : public holdfast::observer {
public:
    void on_event(const holdfast::event& /*what*/) noexcept override {
        entered = true;
        go_on.wait();
    }
    std::atomic<bool> entered{false};
    std::latch go_on{1};
};

TEST_P(validity, a_slow_observer_delays_no_loss_signal_and_no_renewal) { // P2
    const auto watch = std::make_shared<slow_observer>();
    auto fleet = connect(watch);
    const auto kept = holdfast::mutex{fleet, "kept"}.acquire({.lease = short_lease});
    auto first = holdfast::mutex{fleet, "first"}.acquire({.lease = 120ms, .renew = false});
    EXPECT_TRUE(eventually([&] { return watch->entered.load(); }));
    auto second = holdfast::mutex{fleet, "second"}.acquire({.lease = 120ms, .renew = false});
    EXPECT_TRUE(eventually([&] { return second.lost().stop_requested(); }, scaled(500ms)));
    EXPECT_TRUE(throughout(2 * short_lease, [&] { return kept.valid(); }));
    watch->go_on.count_down();
}

} // namespace
