// P2: lost() fires in time, as the checker sees it.

#include "script.hpp"

namespace {

using namespace holdfast::history;
using namespace holdfast::history::testing;

TEST(history_checker, finds_a_loss_fired_too_late) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms).lose(120ms + 1ns, "a");
    const auto found = check(s.events);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].broken_rule, rule::late_loss);
    EXPECT_EQ(found[0].promise, 2);
}

TEST(history_checker, allows_a_loss_fired_within_twenty_milliseconds) {
    EXPECT_THAT(history_script{}.hold("a", 1, 0ms, 100ms).lose(120ms, "a").end(1s).found(),
                IsEmpty());
}

TEST(history_checker, allows_a_loss_fired_before_the_lease_runs_out) {
    EXPECT_THAT(history_script{}.hold("a", 1, 0ms, 100ms).lose(5ms, "a").end(500ms).found(),
                IsEmpty());
}

TEST(history_checker, counts_lateness_from_the_last_renewal) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms).renew(50ms, "a", 150ms);
    EXPECT_THAT(history_script{s}.lose(170ms, "a").found(), IsEmpty());
    EXPECT_THAT(history_script{s}.lose(171ms, "a").found(), ElementsAre(rule::late_loss));
}

TEST(history_checker, gives_a_stopped_process_its_time_after_it_was_continued) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms).stop("a", 50ms, 300ms);
    EXPECT_THAT(history_script{s}.lose(400ms, "a").end(1s).found(), IsEmpty());
    EXPECT_THAT(history_script{s}.lose(400ms + 1ns, "a").found(), ElementsAre(rule::late_loss));
}

TEST(history_checker, gives_no_time_for_a_stop_of_another_process) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms).stop("b", 50ms, 300ms).lose(350ms, "a");
    EXPECT_THAT(s.found(), ElementsAre(rule::late_loss));
}

TEST(history_checker, gives_no_time_for_a_stop_that_came_after_the_notice_was_due) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms).lose(310ms, "a");
    EXPECT_THAT(history_script{s}.stop("a", 120ms + 1ns, 300ms).found(),
                ElementsAre(rule::late_loss));
    EXPECT_THAT(history_script{s}.stop("a", 120ms, 300ms).found(), IsEmpty());
}

TEST(history_checker, gives_time_for_one_stop_after_another) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms).stop("a", 110ms, 200ms).stop("a", 290ms, 400ms).lose(490ms, "a");
    EXPECT_THAT(s.found(), IsEmpty());
}

TEST(history_checker, finds_a_lease_that_ran_out_without_a_loss) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms);
    EXPECT_THAT(history_script{s}.end(120ms + 1ns).found(), ElementsAre(rule::unreported_loss));
    EXPECT_THAT(history_script{s}.end(120ms).found(), IsEmpty())
        << "the history ends too soon to tell";
    EXPECT_THAT(history_script{s}.kill("a", 120ms).end(500ms).found(), IsEmpty());
    EXPECT_THAT(history_script{s}.kill("a", 130ms).end(500ms).found(),
                ElementsAre(rule::unreported_loss));
}

TEST(history_checker, finds_a_holder_that_released_long_after_its_lease_ran_out_without_a_loss) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms);
    EXPECT_THAT(history_script{s}.release(121ms, "a").found(), ElementsAre(rule::unreported_loss));
    EXPECT_THAT(history_script{s}.release(120ms, "a").end(1s).found(), IsEmpty());
    EXPECT_THAT(history_script{s}.lose(110ms, "a").release(150ms, "a").found(), IsEmpty());
    EXPECT_THAT(history_script{s}.release(110ms, "a").lose(150ms, "a").found(), IsEmpty())
        << "a released lease needs no lost()";
}

TEST(history_checker, counts_lateness_of_a_grant_after_its_own_end_from_the_grant) {
    history_script s;
    s.ask(0ms, "a").grant(300ms, "a", 1, 100ms);
    EXPECT_THAT(history_script{s}.lose(320ms, "a").found(), IsEmpty());
    EXPECT_THAT(history_script{s}.lose(321ms, "a").found(), ElementsAre(rule::late_loss));
}

TEST(history_checker, finds_a_lease_renewed_after_it_had_run_out) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms);
    EXPECT_THAT(history_script{s}.renew(100ms, "a", 200ms).release(150ms, "a").found(),
                ElementsAre(rule::revived));
    EXPECT_THAT(history_script{s}.renew(100ms - 1ns, "a", 200ms).release(150ms, "a").found(),
                IsEmpty());
}

TEST(history_checker, lets_a_renewal_be_noticed_later) {
    const auto noticed_at_120 = [](stamp since) {
        history_script s;
        s.hold("a", 1, 0ms, 100ms);
        s.add(120ms, "a", renewed{std::string{the_name}, "a", start + 200ms, start + since});
        return s.release(150ms, "a").found();
    };
    EXPECT_THAT(noticed_at_120(100ms - 1ns), IsEmpty());
    EXPECT_THAT(noticed_at_120(100ms), ElementsAre(rule::revived));
}

TEST(history_checker, finds_a_lease_renewed_after_it_was_lost) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms).lose(40ms, "a").renew(50ms, "a", 200ms);
    EXPECT_THAT(s.found(), ElementsAre(rule::revived));
}

TEST(history_checker, allows_a_renewal_answered_while_the_holder_releases) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms).release(100ms, "a").renew(100ms, "a", 200ms);
    EXPECT_THAT(s.end(1s).found(), IsEmpty());
}

TEST(history_checker, takes_tolerances_from_its_options) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms).lose(160ms, "a");
    EXPECT_THAT(s.found({.loss_notice = 60ms}), IsEmpty());
    EXPECT_THAT(s.found({.loss_notice = 59ms}), ElementsAre(rule::late_loss));
}

TEST(history_checker,
     passes_a_stopped_holder_that_lost_its_lease_and_whose_late_write_was_refused) {
    history_script s;
    s.hold("a", 1, 0ms, 100ms).write(10ms, "a", 1).ask(20ms, "b").stop("a", 30ms, 400ms);
    s.grant(160ms, "b", 2, 900ms).write(170ms, "b", 2).write(401ms, "a", 1, false);
    s.lose(450ms, "a").release(500ms, "b");
    EXPECT_THAT(s.found({.fifo = true}), IsEmpty());
}

} // namespace
