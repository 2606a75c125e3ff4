// P3: tokens, as the checker sees them.

#include "script.hpp"

namespace {

using namespace holdfast::history;
using namespace holdfast::history::testing;

history_script two_holds(std::uint64_t first, std::uint64_t second) {
    history_script s;
    s.hold("a", first, 0ms, 100ms).release(10ms, "a").hold("b", second, 20ms, 100ms);
    return s.release(30ms, "b");
}

TEST(history_checker, orders_tokens_after_a_loss_of_data_only_by_requests) {
    constexpr check_options lossy{.data_lost = true};
    history_script s;
    s.ask(0ms, "a").hold("b", 6, 10ms, 100ms).grant(20ms, "a", 5, 60ms);
    const auto found = s.found(lossy);
    EXPECT_THAT(found, ::testing::Not(::testing::Contains(rule::token_order)));
    EXPECT_THAT(s.found(), ::testing::Contains(rule::token_order));
    s.release(70ms, "b").hold("c", 4, 80ms, 100ms);
    EXPECT_THAT(s.found(lossy), ::testing::Contains(rule::token_order));
}

TEST(history_checker, finds_a_token_that_falls) {
    EXPECT_THAT(two_holds(7, 6).found(), ElementsAre(rule::token_order));
    EXPECT_THAT(two_holds(7, 8).found(), IsEmpty());
    EXPECT_THAT(two_holds(7, 7'000).found(), IsEmpty());
}

TEST(history_checker, finds_a_token_given_twice) {
    EXPECT_THAT(two_holds(7, 7).found(), ElementsAre(rule::token_twice));
}

TEST(history_checker, finds_a_token_given_twice_with_others_in_between) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms).release(10ms, "a").hold("b", 2, 20ms, 100ms).release(30ms, "b");
    s.hold("c", 1, 40ms, 100ms).release(50ms, "c");
    EXPECT_THAT(s.found(), ElementsAre(rule::token_twice));
}

TEST(history_checker, compares_a_token_with_the_highest_before_it_not_only_with_the_last) {
    history_script s = two_holds(7, 3);
    s.hold("c", 5, 40ms, 100ms).release(50ms, "c");
    EXPECT_THAT(s.found(), ElementsAre(rule::token_order, rule::token_order));
}

TEST(history_checker, does_not_order_by_a_grant_recorded_after_its_lease_had_run_out) {
    // a was granted first, then stopped before it could write that down.
    history_script s;
    s.ask(0ms, "a").stop("a", 1ms, 200ms).hold("b", 2, 110ms, 150ms).release(120ms, "b");
    s.grant(200ms, "a", 1, 100ms).lose(201ms, "a");
    EXPECT_THAT(s.found(), IsEmpty());

    history_script still_valid;
    still_valid.ask(0ms, "a").stop("a", 1ms, 200ms);
    still_valid.hold("b", 2, 110ms, 150ms).release(120ms, "b");
    still_valid.grant(200ms, "a", 1, 201ms).lose(201ms, "a");
    EXPECT_THAT(still_valid.found(), ElementsAre(rule::token_order));
}

TEST(history_checker, reports_nothing_about_tokens_where_there_are_none) {
    EXPECT_THAT(two_holds(0, 0).found(), IsEmpty());
    EXPECT_THAT(two_holds(7, 0).found(), ElementsAre(rule::token_order));
}

history_script reader_after(std::uint64_t writer, std::uint64_t reader) {
    history_script s;
    s.hold("w", writer, 0ms, 100ms).release(10ms, "w");
    s.ask_shared(20ms, "r").grant(20ms, "r", reader, 100ms);
    return s.release(30ms, "r");
}

TEST(history_checker, requires_readers_to_carry_the_epoch_of_the_last_writer) {
    EXPECT_THAT(reader_after(7, 7).found(), IsEmpty());
    EXPECT_THAT(reader_after(7, 6).found(), ElementsAre(rule::wrong_epoch));
    EXPECT_THAT(reader_after(7, 8).found(), ElementsAre(rule::wrong_epoch));
}

TEST(history_checker, allows_for_an_epoch_raised_by_a_writer_that_never_recorded_its_grant) {
    history_script s;
    s.hold("w", 7, 0ms, 100ms).release(10ms, "w").ask(11ms, "v").kill("v", 12ms);
    s.ask_shared(20ms, "r").grant(20ms, "r", 8, 100ms).release(30ms, "r");
    EXPECT_THAT(s.found(), IsEmpty());
}

TEST(history_checker, requires_a_writer_above_the_readers_before_it) {
    history_script s;
    s.ask_shared(0ms, "r").grant(0ms, "r", 7, 100ms).release(10ms, "r").hold("w", 7, 20ms, 100ms);
    EXPECT_THAT(s.release(30ms, "w").found(), ElementsAre(rule::token_order));

    history_script above;
    above.ask_shared(0ms, "r").grant(0ms, "r", 7, 100ms).release(10ms, "r");
    above.hold("w", 8, 20ms, 100ms).release(30ms, "w");
    EXPECT_THAT(above.found(), IsEmpty());
}

TEST(history_checker, takes_permit_tokens_for_ids_without_order) {
    history_script s;
    s.ask_permits(0ms, "a", 1, 2).grant(0ms, "a", 9, 100ms).release(10ms, "a");
    s.ask_permits(20ms, "b", 1, 2).grant(20ms, "b", 3, 100ms).release(30ms, "b");
    EXPECT_THAT(s.found(), IsEmpty());
}

} // namespace
