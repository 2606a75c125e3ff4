// Nobody who was called stays asleep, whatever the order in which the threads get on: the code of
// futex_group.hpp, run through every interleaving of its steps.

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

/// A futex_group in the model's memory, as one thread sees it.
class modelled_group {
public:
    explicit modelled_group(interleavings::thread& by) : thread_{by} {}

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

/// Sleeps in `slot` until somebody calls it; `called`: somebody will.
void add_sleeper(interleavings& all, value sleeper, value slot, bool called) {
    all.add(
        [=](interleavings::thread& me) {
            modelled_group group{me};
            holdfast::drive::sleep_in(group, slot,
                                      [&] { return me.load(ready_word(sleeper)) == 0; });
        },
        !called);
}

/// Calls these sleepers, and wakes their slots by `wake`.
template <typename Wake>
void add_waker(interleavings& all, const std::vector<value>& called, value slots, Wake wake) {
    all.add([=](interleavings::thread& me) {
        for (const auto sleeper : called) { me.set_bits(ready_word(sleeper), 1); }
        modelled_group group{me};
        wake(group, slots);
    });
}

void wake_in_chain(modelled_group& group, value slots) {
    holdfast::drive::wake_in(group, slots, true);
}
void wake_all(modelled_group& group, value slots) { holdfast::drive::wake_in(group, slots, false); }

/// As it was: the rest may be taken over before the count tells those who are about to sleep.
void rest_before_count(modelled_group& group, value slots) {
    group.add_rest(slots);
    group.add_wake();
    group.wake(slots, 1);
}

std::string lines(const std::vector<std::string>& steps) {
    std::string out;
    for (const auto& one : steps) { out += one + '\n'; }
    return out;
}

constexpr value a = 1;
constexpr value b = 2;
constexpr value c = 4;

/// Two who are called, and one who is not but may take the rest over.
template <typename Wake>
interleavings two_of_three(value slot_of_third, Wake wake) {
    interleavings all;
    add_sleeper(all, 0, a, true);
    add_sleeper(all, 1, b, true);
    add_sleeper(all, 2, slot_of_third, false);
    add_waker(all, {0, 1}, a | b, wake);
    return all;
}

TEST(futex_group, leaves_nobody_asleep_who_was_called) {
    auto all = two_of_three(c, wake_in_chain);
    EXPECT_EQ(lines(all.find_stuck()), "");
    EXPECT_GT(all.states(), 1'000U) << "it was not looked at";
}

TEST(futex_group, leaves_nobody_asleep_who_shares_a_slot) {
    auto all = two_of_three(b, wake_in_chain);
    EXPECT_EQ(lines(all.find_stuck()), "");
}

TEST(futex_group, leaves_nobody_asleep_when_all_are_woken_by_the_waker) {
    auto all = two_of_three(b, wake_all);
    EXPECT_EQ(lines(all.find_stuck()), "");
}

TEST(futex_group, leaves_nobody_asleep_when_three_are_called) {
    interleavings all;
    add_sleeper(all, 0, a, true);
    add_sleeper(all, 1, b, true);
    add_sleeper(all, 2, c, true);
    add_waker(all, {0, 1, 2}, a | b | c, wake_in_chain);
    EXPECT_EQ(lines(all.find_stuck()), "");
}

TEST(futex_group, leaves_nobody_asleep_when_two_call_at_the_same_time) {
    interleavings all;
    add_sleeper(all, 0, a, true);
    add_sleeper(all, 1, b, true);
    add_waker(all, {0}, a | b, wake_in_chain);
    add_waker(all, {1}, a | b, wake_in_chain);
    EXPECT_EQ(lines(all.find_stuck()), "");
}

// So that the four above can fail.
TEST(futex_group, would_leave_one_asleep_if_the_rest_came_before_the_count) {
    auto all = two_of_three(c, rest_before_count);
    EXPECT_FALSE(all.find_stuck().empty());
}

} // namespace
