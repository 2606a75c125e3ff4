// What only Redisson's locks have: unlock messages, which must be as good as among themselves.

#include "matrix.hpp"

#include <functional>
#include <iostream>

namespace holdfast::interop {

class redisson_lock : public matrix {
protected:
    using wake_ups = std::function<microseconds()>;

    /// In turns, so that whatever else the machine does meets both alike.
    static void expect_at_most_twice(const wake_ups& theirs, const wake_ups& ours) {
        constexpr int warm_up = 10; // of the virtual machine
        constexpr int rounds = 25;
        std::vector<microseconds> their_times;
        std::vector<microseconds> our_times;
        for (int i = 0; i < warm_up + rounds; ++i) {
            const auto them = theirs();
            const auto us = ours();
            if (i < warm_up) { continue; }
            their_times.push_back(them);
            our_times.push_back(us);
        }
        std::cout << "wake-up, median of " << rounds << ": " << median(their_times).count()
                  << " us among Redissons, " << median(our_times).count() << " us with Holdfast\n";
        EXPECT_LE(median(our_times), 2 * median(their_times));
    }
};
INSTANTIATE_TEST_SUITE_P(interop, redisson_lock, testing::ValuesIn(redisson_alone()), name_of);

TEST_P(redisson_lock, of_theirs_wakes_us_within_twice_the_time_of_another_redisson) {
    const auto second = another_of_theirs();
    expect_at_most_twice([&] { return wake_up(theirs(), *second); },
                         [&] { return wake_up(theirs(), ours()); });
}

TEST_P(redisson_lock, of_ours_wakes_redisson_within_twice_the_time_of_another_redisson) {
    const auto second = another_of_theirs();
    expect_at_most_twice([&] { return wake_up(theirs(), *second); },
                         [&] { return wake_up(ours(), *second); });
}

TEST_P(redisson_lock, entered_twice_by_us_is_held_once_in_the_hash) {
    ASSERT_EQ(ours().ask(try_by("a", long_lease, "reentrant")), "held");
    EXPECT_EQ(ours().ask("reenter a"), "held");
    const auto fields = server().command({"HGETALL", name()}).items();
    ASSERT_EQ(fields.size(), 4U);
    EXPECT_EQ(fields.at(1).string(), "1");
    EXPECT_EQ(fields.at(2).string(), "mode") << "against Redisson's read-write lock";
    EXPECT_EQ(ours().ask("release a"), "held");
    EXPECT_EQ(ours().ask("release a"), "released");
}

} // namespace holdfast::interop
