// P6 and P7: order and progress, as the checker sees them; and recordings that do not fit together.

#include "script.hpp"

namespace {

using namespace holdfast::history;
using namespace holdfast::history::testing;

constexpr check_options one_second{.starvation_bound = 1s};

TEST(history_checker, finds_a_request_starved_while_the_lock_was_free) {
    EXPECT_THAT(history_script{}.ask(0ms, "a").end(1s + 1ns).found(one_second),
                ElementsAre(rule::starved));
    EXPECT_THAT(history_script{}.ask(0ms, "a").end(1s).found(one_second), IsEmpty());
}

TEST(history_checker, finds_a_request_starved_while_the_lock_was_passed_on) {
    history_script s;
    s.hold("a", 1, 0ms, 9s).ask(1ms, "z").release(500ms, "a");
    s.hold("b", 2, 500ms, 9s);
    EXPECT_THAT(history_script{s}.release(1501ms, "b").end(1501ms).found(one_second),
                ElementsAre(rule::starved));
    EXPECT_THAT(history_script{s}
                    .release(1500ms, "b")
                    .grant(1500ms, "z", 3, 9s)
                    .release(1501ms, "z")
                    .found(one_second),
                IsEmpty());
}

TEST(history_checker, finds_a_starved_request_even_if_it_was_granted_or_gave_up_in_the_end) {
    EXPECT_THAT(
        history_script{}.ask(0ms, "a").grant(2s, "a", 1, 3s).release(2s, "a").found(one_second),
        ElementsAre(rule::starved));
    EXPECT_THAT(history_script{}.ask(0ms, "a").give_up(2s, "a").found(one_second),
                ElementsAre(rule::starved));
    EXPECT_THAT(history_script{}.ask(0ms, "a").give_up(1s, "a").end(9s).found(one_second),
                IsEmpty());
}

TEST(history_checker, lets_a_request_wait_for_a_holder_that_keeps_the_lock) {
    history_script s;
    s.hold("a", 1, 0ms, 60s).ask(1ms, "z").release(30s, "a").grant(30s + 1ms, "z", 2, 60s);
    EXPECT_THAT(s.release(31s, "z").found(one_second), IsEmpty());
}

TEST(history_checker, lets_a_request_wait_for_a_dead_holder_until_the_engine_frees_it) {
    // The engine keeps a lease of 10 s for 100 ms + 2 ms + 500 ms longer than its holder trusts it.
    history_script s;
    s.ask(0ms, "a", {.lease = 10s}).grant(0ms, "a", 1, 9398ms).kill("a", 1ms).ask(2ms, "z");
    EXPECT_THAT(history_script{s}.grant(11s, "z", 2, 20s).release(11s, "z").found(one_second),
                IsEmpty());
    EXPECT_THAT(
        history_script{s}.grant(11001ms, "z", 2, 20s).release(11001ms, "z").found(one_second),
        ElementsAre(rule::starved));
}

TEST(history_checker, expects_nothing_for_a_killed_waiter) {
    EXPECT_THAT(history_script{}.ask(0ms, "a").kill("a", 1s).end(60s).found(one_second), IsEmpty());
}

TEST(history_checker, does_not_count_the_time_for_which_a_waiter_was_stopped) {
    history_script s;
    s.ask(0ms, "a").stop("a", 100ms, 5s);
    EXPECT_THAT(history_script{s}.give_up(5900ms, "a").found(one_second), IsEmpty());
    EXPECT_THAT(history_script{s}.give_up(5901ms, "a").found(one_second),
                ElementsAre(rule::starved));
}

TEST(history_checker, finds_a_request_for_permits_starved_while_there_were_enough) {
    history_script s;
    s.ask_permits(0ms, "a", 2, 3).grant(0ms, "a", 1, 60s).ask_permits(1ms, "z", 1, 3);
    EXPECT_THAT(history_script{s}.end(2s).found(one_second), ElementsAre(rule::starved));

    history_script enough;
    enough.ask_permits(0ms, "a", 2, 3).grant(0ms, "a", 1, 60s).ask_permits(1ms, "z", 2, 3);
    EXPECT_THAT(enough.end(2s).found(one_second), IsEmpty());
}

TEST(history_checker, finds_a_reader_starved_beside_readers) {
    history_script s;
    s.ask_shared(0ms, "a").grant(0ms, "a", 1, 60s).ask_shared(1ms, "z");
    EXPECT_THAT(s.end(2s).found(one_second), ElementsAre(rule::starved));
}

TEST(history_checker, lets_a_writer_wait_for_a_reader_that_keeps_the_lock) {
    history_script s;
    s.ask_shared(0ms, "a").grant(0ms, "a", 1, 60s).ask(1ms, "z");
    EXPECT_THAT(s.end(2s).found(one_second), IsEmpty());
}

/// z asks first, b asks `later` than z and is served first.
history_script overtaking(stamp later) {
    history_script s;
    s.hold("a", 1, 0ms, 9s).ask(10ms, "z").ask(10ms + later, "b").release(200ms, "a");
    s.grant(200ms, "b", 5, 9s).release(300ms, "b");
    return s;
}

constexpr check_options in_order{.fifo = true};

TEST(history_checker, finds_a_request_served_before_one_that_came_earlier) {
    auto s = overtaking(50ms + 1ns);
    s.grant(300ms, "z", 6, 9s).release(400ms, "z");
    EXPECT_THAT(s.found(in_order), ElementsAre(rule::overtaken));
    EXPECT_THAT(s.found(), IsEmpty()) << "only where the engine states fifo";
}

TEST(history_checker, allows_requests_close_to_each_other_to_be_served_in_any_order) {
    auto s = overtaking(50ms);
    s.grant(300ms, "z", 6, 9s).release(400ms, "z");
    EXPECT_THAT(s.found(in_order), IsEmpty());
}

TEST(history_checker, does_not_report_waiters_that_gave_up_were_killed_or_stopped_as_overtaken) {
    EXPECT_THAT(overtaking(100ms).give_up(250ms, "z").found(in_order), IsEmpty());
    EXPECT_THAT(overtaking(100ms).give_up(251ms, "z").found(in_order),
                ElementsAre(rule::overtaken));
    EXPECT_THAT(overtaking(100ms).kill("z", 250ms).found(in_order), IsEmpty());
    EXPECT_THAT(overtaking(100ms).kill("z", 251ms).found(in_order), ElementsAre(rule::overtaken));
    EXPECT_THAT(overtaking(100ms).stop("z", 20ms, 280ms).give_up(290ms, "z").found(in_order),
                IsEmpty());
}

TEST(history_checker, reports_only_earlier_requests_as_overtaken) {
    // b overtakes both; c asked before z, so z has no complaint about c.
    history_script s;
    s.hold("a", 1, 0ms, 9s).ask(10ms, "c").ask(100ms, "z").ask(200ms, "b").release(300ms, "a");
    s.grant(300ms, "b", 2, 9s).release(400ms, "b").grant(400ms, "c", 3, 9s).release(500ms, "c");
    s.grant(500ms, "z", 4, 9s).release(600ms, "z");
    EXPECT_THAT(s.found(in_order), ElementsAre(rule::overtaken));
}

TEST(history_checker, believes_tokens_when_an_earlier_grant_was_recorded_later) {
    auto s = overtaking(100ms);
    s.grant(300ms, "z", 4, 190ms).lose(301ms, "z"); // run out already: granted before b
    EXPECT_THAT(s.found(in_order), IsEmpty());
}

TEST(history_checker, finds_a_reader_that_passes_a_waiting_writer) {
    history_script s;
    s.ask_shared(0ms, "a").grant(0ms, "a", 1, 9s).ask(10ms, "w");
    s.ask_shared(100ms, "r").grant(100ms, "r", 1, 9s).release(200ms, "r").release(200ms, "a");
    s.grant(200ms, "w", 2, 9s).release(300ms, "w");
    EXPECT_THAT(s.found(in_order), ElementsAre(rule::overtaken));
}

TEST(history_checker, finds_recordings_that_do_not_fit_together) {
    const auto incoherent = ElementsAre(rule::incoherent);
    EXPECT_THAT(history_script{}.grant(0ms, "a", 1, 1s).found(), incoherent);
    EXPECT_THAT(history_script{}.release(0ms, "a").found(), incoherent);
    EXPECT_THAT(history_script{}.renew(0ms, "a", 1s).found(), incoherent);
    EXPECT_THAT(history_script{}.lose(0ms, "a").found(), incoherent);
    EXPECT_THAT(history_script{}.give_up(0ms, "a").found(), incoherent);
    EXPECT_THAT(history_script{}.ask(0ms, "a").ask(1ms, "a").found(), incoherent);
    EXPECT_THAT(history_script{}.stop("a", 2ms, 1ms).found(), incoherent);
    EXPECT_THAT(history_script{}.hold("a", 1, 0ms, 1s).release(1ms, "a").release(2ms, "a").found(),
                incoherent);
    EXPECT_THAT(history_script{}.hold("a", 1, 0ms, 1s).lose(1ms, "a").lose(2ms, "a").found(),
                incoherent);
}

TEST(history_checker, lets_an_owner_request_again_once_its_hold_has_ended) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms).release(10ms, "a").hold("a", 2, 20ms, 100ms).release(30ms, "a");
    EXPECT_THAT(s.found(), IsEmpty());
}

TEST(history_checker, finds_nothing_in_an_empty_history) { EXPECT_THAT(check({}), IsEmpty()); }

} // namespace
