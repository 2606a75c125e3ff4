// Processes that are killed in any state of a lock in a foreign layout: the lock is free when its
// lease expires, and only the keys that docs/layouts.md names stay (P7, P8).

#include "fault/redis_fixture.hpp"
#include "support/child.hpp"

#include <csignal>
#include <thread>
#include <unistd.h>

namespace holdfast::test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;

class layout_killed : public redis_fault, public testing::WithParamInterface<std::string> {
protected:
    [[nodiscard]] client connect() const { return client{server.url() + GetParam()}; }
    /// Runs `body` with a client in a process of its own, which then kills itself.
    template <class Body>
    void in_one_that_is_killed(Body body) {
        EXPECT_THAT(in_child([&] {
                        client there = connect();
                        body(there);
                        ::kill(::getpid(), SIGKILL);
                        return std::string{"it lives"};
                    }),
                    HasSubstr("status 9"));
    }
    /// Every key expires but the token of Redisson's fenced lock, as with Redisson.
    void expect_only_what_ends() {
        for (const auto& key : keys()) {
            if (key == "redisson_lock_token:{stock}") { continue; }
            EXPECT_GT(server.command({"PTTL", key}).number(), 0) << key;
            EXPECT_THAT(key, AnyOf("stock", "hf:token:{stock}")) << "not documented";
        }
    }
    [[nodiscard]] bool held() { return server.command({"EXISTS", "stock"}).number() == 1; }
};

INSTANTIATE_TEST_SUITE_P(layouts, layout_killed,
                         testing::Values("?layout=plain", "?layout=plain&fencing=yes",
                                         "?layout=redisson", "?layout=redisson&fencing=yes"),
                         [](const auto& value) {
                             const bool plain = value.param.starts_with("?layout=plain");
                             return std::string{plain ? "plain" : "redisson"} +
                                    (value.param.ends_with("yes") ? "_fenced" : "");
                         });

TEST_P(layout_killed, holding_frees_it_at_the_end_of_its_lease) {
    in_one_that_is_killed([](client& there) {
        static auto held = mutex{there, "stock"}.acquire({.lease = 1s});
        std::this_thread::sleep_for(10ms);
    });
    EXPECT_TRUE(held());
    expect_only_what_ends();
    auto here = connect();
    const stopwatch since;
    auto next = mutex{here, "stock"}.acquire();
    EXPECT_LT(since.elapsed(), 1s + scaled(300ms));
    next.release();
    EXPECT_TRUE(eventually([&] { return !held(); }));
    expect_only_what_ends();
}

TEST_P(layout_killed, waiting_leaves_nothing_and_delays_nobody) {
    auto here = connect();
    auto ours = mutex{here, "stock"}.acquire();
    const auto before = keys();
    in_one_that_is_killed([](client& there) {
        std::thread{[&] { (void)mutex{there, "stock"}.acquire(); }}.detach();
        std::this_thread::sleep_for(300ms);
    });
    EXPECT_EQ(keys(), before);
    EXPECT_TRUE(ours.valid());
    ours.release();
    const stopwatch since;
    EXPECT_TRUE((mutex{here, "stock"}.try_acquire()));
    EXPECT_LT(since.elapsed(), scaled(100ms));
}

TEST_P(layout_killed, after_a_release_leaves_nothing_that_stays) {
    in_one_that_is_killed([](client& there) { mutex{there, "stock"}.acquire().release(); });
    EXPECT_FALSE(held());
    // If it was killed before it could remove its latch, that is still there: it expires.
    for (const auto& key : keys()) {
        if (!key.starts_with("redisson_lock_token")) {
            EXPECT_GT(server.command({"PTTL", key}).number(), 0) << key;
        }
    }
    auto here = connect();
    EXPECT_TRUE((mutex{here, "stock"}.try_acquire()));
}

} // namespace
} // namespace holdfast::test
