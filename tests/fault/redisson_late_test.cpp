// P1, P5 of shared_mutex and counting_semaphore in layout::redisson: requests and answers that are
// lost, late, or come twice. layouts_late_test.cpp has the mutexes.

#include "fault/redis_fixture.hpp"

namespace holdfast::test {
namespace {

struct redisson_primitive {
    std::string name;
    std::string acquires; ///< the bytes by which the proxy knows an acquire
};

// NOLINTNEXTLINE(readability-identifier-naming): gtest's
void PrintTo(const redisson_primitive& value, std::ostream* out) { *out << value.name; }

class redisson_late : public redis_fault, public testing::WithParamInterface<redisson_primitive> {
protected:
    [[nodiscard]] static lease acquire(client& from, milliseconds length,
                                       const std::string& name = "stock") {
        const lock_options options{.lease = length, .layout = layout::redisson};
        if (GetParam().name == "reader") {
            return shared_mutex{from, name, options}.acquire_shared();
        }
        if (GetParam().name == "writer") { return shared_mutex{from, name, options}.acquire(); }
        return counting_semaphore{from, name, 3, options}.acquire(2);
    }
    /// A client through the proxy, with its scripts loaded. The not-after of its requests is 4 s.
    [[nodiscard]] client connected() const {
        auto out = connect("?timeout=4000");
        acquire(out, 10s, "other").release();
        return out;
    }
    /// As the server has it; 0: it does not hold.
    [[nodiscard]] milliseconds left(const std::string& owner = {}) {
        const auto seen = admin{looker, layout::redisson}.inspect("stock").value_or(lock_info{});
        for (const auto& holder : seen.holders) {
            if (owner.empty() || holder.owner == owner) { return holder.remaining; }
        }
        return 0ms;
    }
    /// How often it is held, as the server has it.
    [[nodiscard]] unsigned count() {
        const auto seen = admin{looker, layout::redisson}.inspect("stock").value_or(lock_info{});
        unsigned sum = 0;
        for (const auto& holder : seen.holders) { sum += holder.permits; }
        return sum;
    }
    [[nodiscard]] static unsigned once() { return GetParam().name == "permits" ? 2 : 1; }
    [[nodiscard]] bool one_is_held() {
        return eventually([&] { return between.counts().held == 1; });
    }
    void let_it_arrive() {
        between.release();
        EXPECT_EQ(between.counts().held, 0U);
        for (int i = 0; i < 2; ++i) { server.command({"PING"}); }
    }
    static void extend(lease& held, milliseconds length) {
        EXPECT_TRUE(eventually([&] {
            std::error_code failure;
            held.extend(length, failure);
            return !failure;
        }));
    }
    [[nodiscard]] lease acquire_while_the_first_request_is_late(client& here, milliseconds term) {
        between.hold_requests({.with = GetParam().acquires});
        background asking{[&](const std::stop_token&) { return acquire(here, term); }};
        EXPECT_TRUE(one_is_held());
        between.cut();
        return asking.get();
    }

    client looker{server.url()};
};

INSTANTIATE_TEST_SUITE_P(
    redisson, redisson_late,
    testing::Values(redisson_primitive{"reader", call_of(scripts::redisson_rw_acquire)},
                    redisson_primitive{"writer", call_of(scripts::redisson_rw_acquire)},
                    redisson_primitive{"permits", call_of(scripts::redisson_permit_acquire)}),
    [](const auto& value) { return value.param.name; });

TEST_P(redisson_late, renewal_does_not_shorten_a_newer_lease) { // P1
    auto here = connected();
    auto kept = acquire(here, 30s);
    between.hold_requests({.with = call_of(scripts::redisson_beat)});
    background renewing{[&](const std::stop_token&) {
        std::error_code unknown;
        kept.extend(3s, unknown);
    }};
    ASSERT_TRUE(one_is_held());
    between.cut();
    renewing.get();
    extend(kept, 60s);
    ASSERT_GT(left(), 50s);
    let_it_arrive();
    EXPECT_GT(left(), 50s);
    EXPECT_EQ(kept.release(), release_answer::released);
}

TEST_P(redisson_late, acquire_neither_shortens_a_newer_lease_nor_counts_again) { // P1
    auto here = connected();
    auto kept = acquire_while_the_first_request_is_late(here, 10s);
    extend(kept, 60s);
    ASSERT_GT(left(), 50s);
    let_it_arrive();
    EXPECT_GT(left(), 50s);
    EXPECT_EQ(count(), once());
    EXPECT_EQ(kept.release(), release_answer::released);
    EXPECT_EQ(count(), 0U);
}

TEST_P(redisson_late, acquire_of_what_was_released_since_takes_nothing) { // P5
    auto here = connected();
    auto kept = acquire_while_the_first_request_is_late(here, 20s);
    EXPECT_EQ(kept.release(), release_answer::released);
    let_it_arrive();
    EXPECT_EQ(count(), 0U);
}

TEST_P(redisson_late, acquire_for_a_caller_who_left_takes_nothing) { // P5
    auto here = connected();
    between.hold_requests({.with = GetParam().acquires});
    background waiting{[&](const std::stop_token& /*stop*/) {
        return complaint_of([&] { (void)acquire(here, 20s); }).code;
    }};
    ASSERT_TRUE(one_is_held());
    between.refuse_new();
    between.cut();
    EXPECT_EQ(waiting.get(), errc::unavailable) << "after connect_wait";
    between.serve_new();
    let_it_arrive();
    EXPECT_EQ(count(), 0U) << "its not-after has passed";
}

TEST_P(redisson_late, acquire_whose_answer_was_lost_is_sent_again_and_counts_once) { // P5
    auto here = connected();
    between.drop_answers({.with = GetParam().acquires});
    auto kept = acquire(here, 20s);
    EXPECT_EQ(count(), once());
    EXPECT_EQ(kept.release(), release_answer::released);
    EXPECT_EQ(count(), 0U);
}

TEST_P(redisson_late, release_whose_answer_was_lost_is_a_release) { // P5
    auto here = connected();
    auto kept = acquire(here, 20s);
    between.drop_answers({.with = call_of(scripts::redisson_release)});
    EXPECT_EQ(kept.release(), release_answer::released);
    EXPECT_EQ(count(), 0U);
    if (GetParam().name == "permits") {
        EXPECT_EQ(server.command({"GET", "stock"}).string(), "3") << "given back once";
    }
}

} // namespace
} // namespace holdfast::test
