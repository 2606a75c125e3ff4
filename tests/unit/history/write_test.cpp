// What a store sees: stale writes and lost updates.

#include "script.hpp"

namespace {

using namespace holdfast::history;
using namespace holdfast::history::testing;

TEST(history_checker, finds_a_stale_write_that_was_accepted) {
    EXPECT_THAT(history_script{}.write(0ms, "a", 5).write(1ms, "b", 4).found(),
                ElementsAre(rule::stale_write));
}

TEST(history_checker, allows_a_stale_write_that_was_refused) {
    EXPECT_THAT(history_script{}.write(0ms, "a", 5).write(1ms, "b", 4, false).found(), IsEmpty());
}

TEST(history_checker, allows_writes_with_the_same_token) {
    EXPECT_THAT(history_script{}.write(0ms, "a", 5).write(1ms, "a", 5).write(2ms, "b", 6).found(),
                IsEmpty());
}

TEST(history_checker, takes_no_token_from_a_write_that_was_refused) {
    EXPECT_THAT(history_script{}.write(0ms, "a", 5, false).write(1ms, "b", 4).found(), IsEmpty());
}

TEST(history_checker, allows_a_late_write_of_a_former_holder_while_its_token_is_the_newest) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms).lose(100ms, "a").hold("b", 2, 120ms, 200ms).write(130ms, "a", 1);
    s.write(140ms, "b", 2).release(150ms, "b");
    EXPECT_THAT(s.found(), IsEmpty());

    s.write(160ms, "a", 1);
    EXPECT_THAT(s.found(), ElementsAre(rule::stale_write));
}

TEST(history_checker, does_not_order_writes_that_were_under_way_at_the_same_time) {
    EXPECT_THAT(history_script{}.write(5ms, "a", 5).slow_write(5ms, 9ms, "b", 4).found(),
                IsEmpty());
    EXPECT_THAT(history_script{}.write(5ms, "a", 5).slow_write(5ms + 1ns, 9ms, "b", 4).found(),
                ElementsAre(rule::stale_write));
}

constexpr check_options counting{.counter = true};

TEST(history_checker, finds_a_lost_update) {
    history_script s;
    s.count(0ms, "a", 1).count(1ms, "b", 2).count(2ms, "c", 2).count(3ms, "a", 3);
    EXPECT_THAT(s.found(counting), ElementsAre(rule::lost_update));
    EXPECT_THAT(s.found(), IsEmpty()) << "only where writes are said to be a counter";
}

TEST(history_checker, blames_no_lost_update_on_a_lease_that_ended_during_the_write) {
    history_script s;
    s.hold("a", 5, 0ms, 10ms).lose(10ms, "a").hold("b", 6, 11ms, 50ms);
    s.slow_count(9ms, 13ms, "a", 5, 1).slow_count(12ms, 14ms, "b", 6, 1);
    EXPECT_THAT(s.found(counting), IsEmpty());
    s.hold("c", 7, 51ms, 60ms).slow_count(52ms, 53ms, "c", 7, 2).release(54ms, "c");
    s.hold("d", 8, 55ms, 90ms).slow_count(56ms, 57ms, "d", 8, 2).release(58ms, "d");
    EXPECT_THAT(s.found(counting), ElementsAre(rule::lost_update)) << "two that were valid";
}

TEST(history_checker, allows_a_counter_that_goes_up_by_one) {
    history_script s;
    s.count(0ms, "a", 41).count(1ms, "b", 42).count(2ms, "c", 43);
    EXPECT_THAT(s.found(counting), IsEmpty());
}

TEST(history_checker, finds_a_counter_that_jumps) {
    EXPECT_THAT(history_script{}.count(0ms, "a", 1).count(1ms, "b", 3).found(counting),
                ElementsAre(rule::lost_update));
}

TEST(history_checker, allows_a_counter_to_jump_by_what_killed_writers_did_not_record) {
    history_script s;
    s.count(0ms, "a", 1).kill("k", 1ms).count(2ms, "b", 3);
    EXPECT_THAT(s.found(counting), IsEmpty());
    s.count(3ms, "a", 5);
    EXPECT_THAT(s.found(counting), ElementsAre(rule::lost_update)) << "one kill, one value";
}

TEST(history_checker, finds_a_counter_that_falls) {
    EXPECT_THAT(history_script{}.count(0ms, "a", 2).count(1ms, "b", 1).found(counting),
                ElementsAre(rule::lost_update));
}

} // namespace
