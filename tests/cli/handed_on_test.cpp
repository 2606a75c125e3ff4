// `holdfast acquire` of a lock that its holder hands on: 2 s are granted, until a renewal.

#include "cli/cli.hpp"
#include "proxy/proxy.hpp"
#include "support/redis_server.hpp"

#include <holdfast/holdfast.hpp>

#include <csignal>

#if HOLDFAST_WITH_REDIS

namespace holdfast::test {

namespace {

using ::testing::HasSubstr;

class handed_on : public cli {
protected:
    /// An `acquire` that waits at the proxy, for a lock that `holder` has.
    running wait_for_it(const words& options = {}) {
        words all{"acquire", "--url", between_.url(), "--lease", "20s"};
        all.insert(all.end(), options.begin(), options.end());
        all.emplace_back("job");
        auto out = here.start(holdfast_words(all));
        EXPECT_TRUE(eventually([&] {
            const auto info = admin{fleet_}.inspect("job");
            return info && info->waiters.size() == 1;
        }));
        return out;
    }
    /// How long the engine keeps it for its holder; 0: for nobody.
    milliseconds left() {
        const auto info = admin{fleet_}.inspect("job");
        return info && !info->holders.empty() ? info->holders.front().remaining : 0ms;
    }

    redis_server server_;
    proxy between_{server_.port()};
    client fleet_{server_.url()};
    mutex lock_{fleet_, "job"};
    lease holder_ = lock_.acquire();
};

TEST_F(handed_on, lock_has_its_whole_lease_when_acquire_is_over) {
    auto waiter = wait_for_it();
    between_.delay(600ms, 0ms); // longer than a client that goes away waits for its last answers
    holder_.release();
    EXPECT_EQ(waiter.wait().code, 0) << waiter.err();
    EXPECT_GT(left(), 10s) << "and not what is left of 2 s";
}

TEST_F(handed_on, lock_whose_lease_the_engine_does_not_confirm_is_a_failure) {
    auto waiter = wait_for_it();
    between_.hold_requests({.with = "job", .times = for_good});
    holder_.release();
    const auto end = waiter.wait();
    EXPECT_EQ(end.code, 69) << end.out;
    EXPECT_THAT(end.err, HasSubstr("did not confirm its lease"));
    EXPECT_EQ(end.out, "(exit 69)\n") << "so that eval fails, too";
}

TEST_F(handed_on, lock_whose_renewal_is_lost_is_asked_for_again) {
    auto waiter = wait_for_it();
    between_.hold_requests({.with = "job"});
    holder_.release();
    ASSERT_TRUE(eventually([&] { return between_.counts().held > 0; }));
    between_.cut();
    EXPECT_EQ(waiter.wait().code, 0) << waiter.err();
    EXPECT_GT(left(), 10s);
}

TEST_F(handed_on, lock_is_not_told_of_if_a_signal_comes_before_it_is_confirmed) {
    auto waiter = wait_for_it();
    between_.hold_requests({.with = "job", .times = for_good});
    holder_.release();
    ASSERT_TRUE(eventually([&] { return left() > 0ms; }));
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
