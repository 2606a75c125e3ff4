// `holdfast acquire` of a lock by a hand-off, which is provisional for 2 s until a renewal.

#include "cli/cli_fixture.hpp"
#include "proxy/proxy.hpp"
#include "support/redis_server.hpp"

#include <holdfast/holdfast.hpp>

#include <csignal>

#if HOLDFAST_WITH_REDIS

namespace holdfast::test {

namespace {

using ::testing::HasSubstr;

class hand_off_to_acquire : public cli {
protected:
    /// Starts an `acquire` that waits, through the proxy, for the lock of `holder_`.
    running_command start_waiter(const words& options = {}) {
        words all{"acquire", "--url", proxy_.url(), "--lease", "20s"};
        all.insert(all.end(), options.begin(), options.end());
        all.emplace_back("job");
        auto out = sandbox_.start(holdfast_words(all));
        EXPECT_TRUE(eventually([&] {
            const auto info = admin{fleet_}.inspect("job");
            return info && info->waiters.size() == 1;
        }));
        return out;
    }
    /// The remaining lease of the holder; 0: there is none.
    milliseconds remaining() {
        const auto info = admin{fleet_}.inspect("job");
        return info && !info->holders.empty() ? info->holders.front().remaining : 0ms;
    }

    redis_server server_;
    proxy proxy_{server_.port()};
    client fleet_{server_.url()};
    mutex lock_{fleet_, "job"};
    lease holder_ = lock_.acquire();
};

TEST_F(hand_off_to_acquire, has_its_whole_lease_when_acquire_exits) {
    auto waiter = start_waiter();
    proxy_.delay(600ms, 0ms); // longer than a client waits at its shutdown
    holder_.release();
    EXPECT_EQ(waiter.wait().code, 0) << waiter.err();
    EXPECT_GT(remaining(), 10s) << "not what is left of the provisional 2 s";
}

TEST_F(hand_off_to_acquire, fails_if_the_engine_does_not_confirm_the_lease) {
    auto waiter = start_waiter();
    proxy_.hold_requests({.with = "job", .times = for_good});
    holder_.release();
    const auto end = waiter.wait();
    EXPECT_EQ(end.code, 69) << end.out;
    EXPECT_THAT(end.err, HasSubstr("did not confirm its lease"));
    EXPECT_EQ(end.out, "(exit 69)\n") << "so eval fails, too";
}

TEST_F(hand_off_to_acquire, retries_a_lost_renewal) {
    auto waiter = start_waiter();
    proxy_.hold_requests({.with = "job"});
    holder_.release();
    ASSERT_TRUE(eventually([&] { return proxy_.counts().held > 0; }));
    proxy_.cut();
    EXPECT_EQ(waiter.wait().code, 0) << waiter.err();
    EXPECT_GT(remaining(), 10s);
}

TEST_F(hand_off_to_acquire, is_not_printed_if_a_signal_arrives_before_the_confirmation) {
    auto waiter = start_waiter();
    proxy_.hold_requests({.with = "job", .times = for_good});
    holder_.release();
    ASSERT_TRUE(eventually([&] { return remaining() > 0ms; }));
    const stopwatch watch;
    waiter.signal(SIGTERM);
    const auto end = waiter.wait();
    EXPECT_EQ(end.code, 143);
    EXPECT_EQ(end.out, "(exit 143)\n");
    EXPECT_LT(watch.elapsed(), 1s + scaled(2s));
}

} // namespace

} // namespace holdfast::test

#endif
