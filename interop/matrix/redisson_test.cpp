// What only Redisson's locks have: unlock messages, tokens, and taking a lock away.

#include "matrix.hpp"

#include <algorithm>

namespace holdfast::interop {

namespace {

using microseconds = std::chrono::microseconds;

std::vector<client_under_test> redisson_alone() {
    auto all = all_clients();
    std::erase_if(all, [](const auto& one) { return one.name != "redisson"; });
    return all;
}

microseconds median(std::vector<microseconds> all) {
    std::sort(all.begin(), all.end());
    return all.at(all.size() / 2);
}

std::uint64_t token_of(const std::string& answer) {
    EXPECT_EQ(answer.rfind("held ", 0), 0) << answer;
    return answer.size() > 5 ? std::stoull(answer.substr(5)) : 0;
}

} // namespace

class redisson_lock : public matrix {
protected:
    /// From the moment that the release is asked for until the waiter says that it has it.
    [[nodiscard]] microseconds wake_up(driver_process& holder, driver_process& waiter) const {
        EXPECT_EQ(holder.ask(try_by("holder")), "held");
        const auto waits = waiter.start(wait_by("waiter"));
        EXPECT_FALSE(waits.answered_within(50ms));
        const auto start = std::chrono::steady_clock::now();
        EXPECT_EQ(holder.ask("release holder"), "released");
        EXPECT_EQ(waits.text(), "held");
        EXPECT_EQ(waiter.ask("release waiter"), "released");
        return std::chrono::duration_cast<microseconds>(waits.at() - start);
    }
};
INSTANTIATE_TEST_SUITE_P(interop, redisson_lock, testing::ValuesIn(redisson_alone()), name_of);

// In turns, so that whatever else the machine does meets both alike.
TEST_P(redisson_lock, wakes_us_within_twice_the_time_of_another_redisson) {
    const auto second = another_of_theirs();
    std::vector<microseconds> their_times;
    std::vector<microseconds> our_times;
    for (int i = 0; i < 35; ++i) {
        const auto them = wake_up(theirs(), *second);
        const auto us = wake_up(theirs(), ours());
        if (i < 10) { continue; } // the virtual machine warms up
        their_times.push_back(them);
        our_times.push_back(us);
    }
    RecordProperty("redisson_us", std::to_string(median(their_times).count()));
    RecordProperty("holdfast_us", std::to_string(median(our_times).count()));
    std::cout << "woken by Redisson: Redisson " << median(their_times).count() << " us, Holdfast "
              << median(our_times).count() << " us\n";
    EXPECT_LE(median(our_times), 2 * median(their_times));
}

TEST_P(redisson_lock, of_ours_wakes_redisson_within_twice_the_time_of_another_redisson) {
    const auto second = another_of_theirs();
    std::vector<microseconds> their_times;
    std::vector<microseconds> our_times;
    for (int i = 0; i < 35; ++i) {
        const auto them = wake_up(theirs(), *second);
        const auto us = wake_up(ours(), *second);
        if (i < 10) { continue; }
        their_times.push_back(them);
        our_times.push_back(us);
    }
    std::cout << "Redisson woken: by Redisson " << median(their_times).count()
              << " us, by Holdfast " << median(our_times).count() << " us\n";
    EXPECT_LE(median(our_times), 2 * median(their_times));
}

TEST_P(redisson_lock, counts_its_tokens_on_across_both_sides) {
    std::uint64_t last = 0;
    for (int i = 0; i < 10; ++i) {
        auto& side = i % 3 == 0 ? theirs() : ours();
        const auto token = token_of(side.ask(try_by("a", long_lease, "fenced")));
        EXPECT_GT(token, last);
        last = token;
        EXPECT_EQ(side.ask("release a"), "released");
    }
    EXPECT_EQ(server().command({"GET", "redisson_lock_token:{" + name() + "}"}).string(),
              std::to_string(last));
}

TEST_P(redisson_lock, keeps_its_token_over_an_expiry_and_a_take_over) {
    const auto first = token_of(theirs().ask(try_by("a", short_lease, "fenced")));
    const auto waiter = ours().start(wait_by("b", short_lease, 2 * long_lease, "fenced"));
    const auto second = token_of(waiter.text());
    const auto third = token_of(theirs().ask(wait_by("c", long_lease, 2 * long_lease, "fenced")));
    EXPECT_LT(first, second);
    EXPECT_LT(second, third);
    EXPECT_EQ(theirs().ask("release c"), "released");
}

TEST_P(redisson_lock, is_taken_from_us_by_their_force) {
    ASSERT_EQ(ours().ask(try_by("a")), "held");
    const auto waiter = ours().start(wait_by("b"));
    EXPECT_FALSE(waiter.answered_within(400ms));
    EXPECT_EQ(theirs().ask("force " + name()), "broken");
    EXPECT_EQ(waiter.text(our_patience()), "held");
    EXPECT_EQ(ours().ask("release a"), "lost");
    EXPECT_EQ(ours().ask("release b"), "released");
    EXPECT_EQ(theirs().ask("force " + name()), "free");
}

TEST_P(redisson_lock, is_taken_from_them_by_our_force) {
    ASSERT_EQ(theirs().ask(try_by("a")), "held");
    const auto waiter = theirs().start(wait_by("b"));
    EXPECT_FALSE(waiter.answered_within(400ms));
    EXPECT_EQ(ours().ask("force " + name()), "broken");
    EXPECT_EQ(waiter.text(their_patience()), "held");
    EXPECT_EQ(theirs().ask("release a"), "lost");
    EXPECT_EQ(theirs().ask("release b"), "released");
    EXPECT_EQ(ours().ask("force " + name()), "free");
}

TEST_P(redisson_lock, entered_twice_by_us_is_held_once_in_the_hash) {
    ASSERT_EQ(ours().ask(try_by("a", long_lease, "reentrant")), "held");
    EXPECT_EQ(ours().ask("reenter a"), "held");
    const auto fields = server().command({"HGETALL", name()}).items();
    ASSERT_EQ(fields.size(), 2U);
    EXPECT_EQ(fields.at(1).string(), "1");
    EXPECT_EQ(ours().ask("release a"), "held");
    EXPECT_EQ(ours().ask("release a"), "released");
}

} // namespace holdfast::interop
