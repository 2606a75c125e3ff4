// What a person reads.

#include "script.hpp"

#include <sstream>

namespace {

using namespace holdfast::history;
using namespace holdfast::history::testing;
using ::testing::HasSubstr;
using ::testing::Not;

history_script busy_day() {
    history_script s;
    s.hold("a", 1, 0ms, 100ms).ask(10ms, "b").write(15ms, "a", 1).release(20ms, "a");
    s.grant(21ms, "b", 2, 100ms).release(30ms, "b").hold("b", 3, 40ms, 100ms).lose(100ms, "b");
    s.ask(101ms, "c").kill("c", 102ms).write(110ms, "b", 1, false);
    s.ask(120ms, "d").give_up(130ms, "d").stop("a", 140ms, 150ms).break_lock(160ms);
    return s;
}

TEST(history_report, sums_up_what_happened) {
    const auto sum = summarise(busy_day().events);
    EXPECT_EQ(sum.events, busy_day().events.size());
    EXPECT_EQ(sum.requests, 5U);
    EXPECT_EQ(sum.grants, 3U);
    EXPECT_EQ(sum.hand_offs, 1U) << "b was waiting when a released; nobody else was";
    EXPECT_EQ(sum.given_up, 1U);
    EXPECT_EQ(sum.losses, 1U);
    EXPECT_EQ(sum.kills, 1U);
    EXPECT_EQ(sum.stops, 1U);
    EXPECT_EQ(sum.breaks, 1U);
    EXPECT_EQ(sum.writes_accepted, 1U);
    EXPECT_EQ(sum.writes_refused, 1U);
    EXPECT_EQ(sum.longest_wait, 11ms);
    EXPECT_EQ(sum.length, 160ms);
    EXPECT_EQ(sum.grants_by_process,
              (std::map<std::string, std::size_t>{{"a", 1}, {"b", 2}, {"c", 0}, {"d", 0}}));

    std::ostringstream out;
    print(out, sum);
    EXPECT_THAT(out.str(), HasSubstr("3 grants, 1 hand-offs"));
    EXPECT_THAT(out.str(), HasSubstr("0 (c) to 2 (b)"));
    EXPECT_THAT(out.str(), HasSubstr("11 ms by b"));
}

TEST(history_report, shows_each_violation_with_its_events) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms).hold("b", 2, 50ms, 100ms).release(60ms, "a").release(60ms, "b");
    s.events[1].line = 12;
    const auto text = describe(s.events, check(s.events));
    EXPECT_THAT(text,
                HasSubstr("two exclusive leases at once (P1) on stock:1001: The leases of a"));
    EXPECT_THAT(text, HasSubstr("line 12: @granted at=1000000000 pid=97"));
    EXPECT_THAT(text, HasSubstr("1 x two exclusive leases at once\n"));
}

TEST(history_report, does_not_print_a_thousand_violations) {
    history_script s;
    for (int i = 0; i < 1000; ++i) { s.release(1ms * i, "a"); }
    const auto found = check(s.events);
    EXPECT_EQ(found.size(), 1000U);
    const auto text = describe(s.events, found);
    EXPECT_THAT(text, HasSubstr("1000 x incoherent recording, not all shown"));
    EXPECT_LT(text.size(), 10'000U);
}

TEST(history_report, prints_names_of_any_bytes_readably) {
    auto s = history_script{};
    s.add(0ms, "a", released{"a\nb\x1b", "o"});
    const auto text = describe(s.events, check(s.events));
    EXPECT_THAT(text, HasSubstr("on a%0Ab%1B"));
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(history_report, has_a_text_and_a_promise_for_every_rule) {
    for (int r = 0; r <= static_cast<int>(rule::incoherent); ++r) {
        EXPECT_NE(to_string(static_cast<rule>(r)), "?");
        EXPECT_EQ(promise_of(static_cast<rule>(r)) == 0, static_cast<rule>(r) == rule::incoherent);
    }
}

} // namespace
