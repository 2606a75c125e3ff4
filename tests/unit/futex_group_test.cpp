// No called thread stays asleep: runs the code of futex_group.hpp through every interleaving of its
// steps.

#include "holdfast/drive/futex_group.hpp"

#include "unit/interleavings.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using holdfast::test::interleavings;
using value = interleavings::value;

constexpr interleavings::word wakes_word = 0;
constexpr interleavings::word rest_word = 1;
interleavings::word ready_word(value sleeper) { return 2U + sleeper; }

/// A futex_group in the model's memory, used by one thread.
class modelled_group {
public:
    explicit modelled_group(interleavings::thread& thread) : thread_{thread} {}

    value wakes() { return thread_.load(wakes_word); }
    void add_wake() { thread_.add(wakes_word, 1); }
    bool has_rest() { return thread_.load(rest_word) != 0; }
    value take_rest() { return thread_.exchange(rest_word, 0); }
    void add_rest(value slots) { thread_.set_bits(rest_word, slots); }
    void wait(value wakes, value slot) { thread_.futex_wait(wakes_word, wakes, slot); }
    void wake(value slots, int most) {
        if (slots != 0) { thread_.futex_wake(slots, most); }
    }

private:
    interleavings::thread& thread_;
};

/// Adds a thread that sleeps in `slot` until it is called; `called`: some waker calls it.
void add_sleeper(interleavings& all, value sleeper, value slot, bool called) {
    all.add(
        [=](interleavings::thread& thread) {
            modelled_group group{thread};
            holdfast::drive::sleep_in(group, slot,
                                      [&] { return thread.load(ready_word(sleeper)) == 0; });
        },
        !called);
}

/// Adds a thread that calls these sleepers and wakes their slots by `wake`.
template <typename Wake>
void add_waker(interleavings& all, const std::vector<value>& called, value slots, Wake wake) {
    all.add([=](interleavings::thread& thread) {
        for (const auto sleeper : called) { thread.set_bits(ready_word(sleeper), 1); }
        modelled_group group{thread};
        wake(group, slots);
    });
}

void wake_in_chain(modelled_group& group, value slots) {
    holdfast::drive::wake_in(group, slots, true);
}
void wake_all(modelled_group& group, value slots) { holdfast::drive::wake_in(group, slots, false); }

/// The wrong order: a thread may take the rest before the count has changed.
void rest_before_count(modelled_group& group, value slots) {
    group.add_rest(slots);
    group.add_wake();
    group.wake(slots, 1);
}

std::string lines(const std::vector<std::string>& steps) {
    std::string out;
    for (const auto& step : steps) { out += step + '\n'; }
    return out;
}

constexpr value a = 1;
constexpr value b = 2;
constexpr value c = 4;

/// Two called sleepers, and one that is not called but may take the rest.
template <typename Wake>
interleavings two_of_three(value slot_of_third, Wake wake) {
    interleavings all;
    add_sleeper(all, 0, a, true);
    add_sleeper(all, 1, b, true);
    add_sleeper(all, 2, slot_of_third, false);
    add_waker(all, {0, 1}, a | b, wake);
    return all;
}

TEST(futex_group, wakes_every_called_thread) {
    auto all = two_of_three(c, wake_in_chain);
    EXPECT_EQ(lines(all.find_stuck()), "");
    EXPECT_GT(all.states(), 1'000U) << "too few states were explored";
}

TEST(futex_group, wakes_every_called_thread_that_shares_a_slot) {
    auto all = two_of_three(b, wake_in_chain);
    EXPECT_EQ(lines(all.find_stuck()), "");
}

TEST(futex_group, wakes_every_called_thread_without_a_chain) {
    auto all = two_of_three(b, wake_all);
    EXPECT_EQ(lines(all.find_stuck()), "");
}

TEST(futex_group, wakes_three_called_threads) {
    interleavings all;
    add_sleeper(all, 0, a, true);
    add_sleeper(all, 1, b, true);
    add_sleeper(all, 2, c, true);
    add_waker(all, {0, 1, 2}, a | b | c, wake_in_chain);
    EXPECT_EQ(lines(all.find_stuck()), "");
}

TEST(futex_group, wakes_every_called_thread_of_two_wakers) {
    interleavings all;
    add_sleeper(all, 0, a, true);
    add_sleeper(all, 1, b, true);
    add_waker(all, {0}, a | b, wake_in_chain);
    add_waker(all, {1}, a | b, wake_in_chain);
    EXPECT_EQ(lines(all.find_stuck()), "");
}

// Shows that the tests above can fail.
TEST(futex_group, would_miss_a_thread_if_the_rest_were_added_before_the_count) {
    auto all = two_of_three(c, rest_before_count);
    EXPECT_FALSE(all.find_stuck().empty());
}

} // namespace
