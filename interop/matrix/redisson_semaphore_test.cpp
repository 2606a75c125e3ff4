// Redisson's semaphores and our counting_semaphore. The line protocol's have two permits.

#include "redisson_kinds.hpp"

#include <thread>

namespace holdfast::interop {

namespace {

const std::vector<std::string> both_kinds{"expirable", "semaphore"};

} // namespace

class redisson_semaphore : public redisson_kind {
protected:
    [[nodiscard]] std::string semaphore() const { return "semaphore:" + name() + kind_; }
    [[nodiscard]] std::string request(const std::string& verb, const std::string& hold,
                                      milliseconds lease, const std::string& rest) const {
        return verb + " " + hold + " " + semaphore() + " " + std::to_string(lease.count()) + rest +
               " " + kind_;
    }
    [[nodiscard]] std::string take(const std::string& hold, milliseconds lease = long_lease) const {
        return request("try", hold, lease, "");
    }
    [[nodiscard]] std::string wait(const std::string& hold,
                                   milliseconds wait = 2 * long_lease) const {
        return request("acquire", hold, long_lease, " " + std::to_string(wait.count()));
    }
    [[nodiscard]] std::string free_permits() const {
        return server().command({"GET", semaphore()}).string();
    }
    /// In both directions, with each of the two kinds.
    void all_ways(const std::function<void(const sides&)>& test) {
        for (const auto& kind : both_kinds) {
            SCOPED_TRACE(kind);
            kind_ = kind;
            both_ways(test);
        }
    }

    std::string kind_ = "expirable";
};
INSTANTIATE_TEST_SUITE_P(interop, redisson_semaphore, testing::ValuesIn(redisson_alone()), name_of);

TEST_P(redisson_semaphore, has_no_more_permits_than_both_sides_have_together) {
    all_ways([&](const sides& now) {
        ASSERT_EQ(now.holder.ask(take("a")), "held");
        EXPECT_EQ(free_permits(), "1");
        ASSERT_EQ(now.other.ask(take("b")), "held");
        EXPECT_EQ(now.holder.ask(take("c")), "busy");
        EXPECT_EQ(now.other.ask(take("c")), "busy");
        EXPECT_EQ(now.other.ask(wait("c", 300ms)), "busy");
        EXPECT_EQ(now.other.ask("release b"), "released");
        EXPECT_EQ(now.holder.ask(take("c")), "held");
        EXPECT_EQ(now.holder.ask("release a"), "released");
        EXPECT_EQ(now.holder.ask("release c"), "released");
        EXPECT_EQ(free_permits(), "2");
    });
}

TEST_P(redisson_semaphore, a_release_wakes_the_other_side) {
    all_ways([&](const sides& now) {
        ASSERT_EQ(now.holder.ask(take("a")), "held");
        ASSERT_EQ(now.holder.ask(take("b")), "held");
        const auto waiter = now.other.start(wait("c"));
        const auto second = now.other.start(wait("d"));
        EXPECT_FALSE(waiter.answered_within(300ms));
        EXPECT_EQ(now.holder.ask("release a"), "released");
        EXPECT_TRUE(eventually(
            [&] { return waiter.answered_within(0ms) || second.answered_within(0ms); }, slack));
        EXPECT_EQ(now.holder.ask("release b"), "released");
        EXPECT_EQ(waiter.text(slack), "held");
        EXPECT_EQ(second.text(slack), "held");
        EXPECT_EQ(now.other.ask("release c"), "released");
        EXPECT_EQ(now.other.ask("release d"), "released");
        EXPECT_EQ(free_permits(), "2");
    });
}

TEST_P(redisson_semaphore, permits_of_a_killed_holder_come_back_when_their_leases_have_ended) {
    both_ways([&](const sides& now) {
        const auto victim = another(now.ours);
        const stopwatch since;
        ASSERT_EQ(victim->ask(take("a", short_lease)), "held");
        ASSERT_EQ(victim->ask(take("b", short_lease)), "held");
        const auto waiter = now.other.start(wait("c"));
        victim->kill();
        EXPECT_EQ(waiter.text(short_lease + slack + slack), "held");
        EXPECT_GE(since.elapsed(), short_lease);
        ASSERT_EQ(now.other.ask(wait("d", short_lease)), "held") << "it was taken a bit later";
        EXPECT_EQ(now.other.ask(take("e")), "busy");
        EXPECT_EQ(now.other.ask("release c"), "released");
        EXPECT_EQ(now.other.ask("release d"), "released");
        EXPECT_EQ(free_permits(), "2");
    });
}

TEST_P(redisson_semaphore, our_permits_of_their_usual_one_come_back_through_us_and_then_to_them) {
    kind_ = "semaphore";
    const auto victim = another_of_ours();
    ASSERT_EQ(victim->ask(take("a", short_lease)), "held");
    ASSERT_EQ(theirs().ask(take("b")), "held");
    const auto waiter = theirs().start(wait("c"));
    victim->kill();
    EXPECT_FALSE(waiter.answered_within(short_lease + 300ms)) << "Redisson does not look for it";
    ASSERT_EQ(ours().ask(wait("d", 2s)), "held") << "but we do";
    EXPECT_EQ(ours().ask("release d"), "released");
    EXPECT_EQ(waiter.text(slack), "held");
    EXPECT_EQ(theirs().ask("release b"), "released");
    EXPECT_EQ(theirs().ask("release c"), "released");
    EXPECT_EQ(free_permits(), "2");
}

TEST_P(redisson_semaphore, renewed_permits_stay_out) {
    ASSERT_EQ(ours().ask(request("try", "a", short_lease, "") + " watchdog"), "held");
    ASSERT_EQ(theirs().ask(take("b", short_lease)), "held");
    const stopwatch since;
    while (since.elapsed() < 2 * short_lease) {
        EXPECT_EQ(theirs().ask("renew b"), "renewed");
        EXPECT_EQ(theirs().ask(take("c")), "busy");
        EXPECT_EQ(ours().ask(take("c")), "busy");
        std::this_thread::sleep_for(200ms);
    }
    EXPECT_EQ(ours().ask("release a"), "released");
    EXPECT_EQ(theirs().ask("release b"), "released");
    EXPECT_EQ(free_permits(), "2");
}

TEST_P(redisson_semaphore, a_permit_whose_lease_has_ended_can_be_neither_renewed_nor_released) {
    both_ways([&](const sides& now) {
        ASSERT_EQ(now.holder.ask(take("a", short_lease)), "held");
        ASSERT_EQ(now.other.ask(take("b")), "held");
        ASSERT_EQ(now.other.ask(wait("c")), "held") << "the lease of the first has ended";
        EXPECT_EQ(now.holder.ask("renew a"), "lost");
        EXPECT_EQ(now.holder.ask("release a"), "lost");
        EXPECT_EQ(free_permits(), "0");
        EXPECT_EQ(now.other.ask("release b"), "released");
        EXPECT_EQ(now.other.ask("release c"), "released");
        EXPECT_EQ(free_permits(), "2");
    });
}

} // namespace holdfast::interop
