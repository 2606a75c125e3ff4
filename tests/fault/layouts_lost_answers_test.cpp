// P5 in foreign layouts: the server executed a request and the reply was lost, or it executed it
// too late; and what a killed client leaves behind.

#include "fault/foreign_layouts.hpp"

#include <thread>

namespace holdfast::test {
namespace {

using engine::op_status;
using testing::Each;
using testing::IsEmpty;

class layout_lost_answer : public redis_fault,
                           public testing::WithParamInterface<foreign_layout_case> {
protected:
    [[nodiscard]] lock_options options(milliseconds lease = 10s) const {
        auto out = GetParam().options;
        out.lease = lease;
        return out;
    }
    [[nodiscard]] bool held() { return server.command({"EXISTS", "stock"}).number() == 1; }
    [[nodiscard]] std::string holder() {
        const auto seen = admin{looker, GetParam().options.layout}.inspect("stock");
        return seen ? seen->holders.at(0).owner : "";
    }

    client looker{server.url()};
};

INSTANTIATE_TEST_SUITE_P(layouts, layout_lost_answer, all_foreign_layouts(), layout_name);

TEST_P(layout_lost_answer, to_an_acquire_is_recognised_by_its_owner) {
    auto here = connect("?timeout=300");
    mutex{here, "other", options()}.acquire().release();
    between.drop_answers({.with = GetParam().acquires}, ending::silence);
    background asking{[&](const std::stop_token&) {
        return mutex{here, "stock", options()}.acquire();
    }};
    ASSERT_TRUE(eventually([&] { return between.counts().dropped == 1; }));
    EXPECT_TRUE(held());
    const auto first = holder();
    EXPECT_FALSE(asking.done()) << "nobody has told it";
    auto got = asking.get();
    EXPECT_EQ(got.owner(), first);
    if (GetParam().options.fencing) {
        EXPECT_EQ(got.token(),
                  (admin{looker, GetParam().options.layout}.inspect("stock")->holders.at(0).token));
    }
    EXPECT_EQ(got.release(), release_answer::released);
    EXPECT_FALSE(held());
}

TEST_P(layout_lost_answer, to_an_acquire_does_not_lengthen_the_lease_of_the_holder) { // P2
    auto here = connect("?timeout=300");
    mutex{here, "other", options()}.acquire().release();
    between.drop_answers({.with = GetParam().acquires}, ending::silence);
    auto terms = options(5s);
    terms.renew = false;
    const stopwatch since_before_the_first;
    const auto got = mutex{here, "stock", terms}.acquire();
    EXPECT_GE(since_before_the_first.elapsed(), 300ms);
    EXPECT_LE(got.remaining(), milliseconds{server.command({"PTTL", "stock"}).number()})
        << "the server keeps it for at least as long";
}

TEST_P(layout_lost_answer, to_an_acquire_that_is_given_up_leaves_no_hold) {
    auto here = connect("?timeout=300", {.connect_wait = 200ms});
    mutex{here, "other", options()}.acquire().release();
    between.drop_answers({.with = GetParam().acquires}, ending::silence);
    EXPECT_EQ(complaint_of([&] {
                  (void)mutex{here, "stock", options()}.try_acquire();
              }).code,
              errc::unavailable);
    EXPECT_TRUE(eventually([&] { return !held(); }, scaled(5s))) << "it was withdrawn";
}

TEST_P(layout_lost_answer, to_a_release_is_a_release) {
    auto here = connect("?timeout=300");
    auto got = mutex{here, "stock", options()}.acquire();
    between.drop_answers({.with = GetParam().releases}, ending::silence);
    EXPECT_EQ(got.release(), release_answer::released);
    EXPECT_EQ(between.counts().dropped, 1U);
    EXPECT_FALSE(held());
}

TEST_P(layout_lost_answer, to_a_release_does_not_end_the_next_hold) { // P4
    auto here = connect("?timeout=300");
    auto there = direct();
    auto got = mutex{here, "stock", options()}.acquire();
    auto next = wait_for(there, options());
    std::this_thread::sleep_for(100ms);
    between.drop_answers({.with = GetParam().releases}, ending::silence);
    EXPECT_EQ(got.release(), release_answer::released);
    auto theirs = next.get();
    EXPECT_TRUE(theirs.valid());
    EXPECT_EQ(holder(), theirs.owner());
    EXPECT_EQ(theirs.release(), release_answer::released);
}

TEST_P(layout_lost_answer, to_a_cancelled_acquire_is_undone_when_it_arrives) { // through the seam
    seam_client here{between.url()};
    auto ticket = here.ticket("stock");
    ticket.format = {GetParam().options.layout, GetParam().options.fencing};
    ASSERT_EQ(here.release(ticket).status, op_status::not_held); // connects
    between.hold_answers({.with = GetParam().acquires});
    const auto id = here.start(seam_client::acquire_op(ticket, {}));
    here.drive_for(20ms);
    ASSERT_TRUE(eventually([&] { return between.counts().held == 1; }));
    EXPECT_TRUE(held());
    here.cancel(id);
    between.release();
    here.drive_for(50ms);
    EXPECT_FALSE(here.answer_to(id));
    EXPECT_FALSE(held());
}

TEST_P(layout_lost_answer, of_a_broken_connection_keeps_the_waiter_subscribed) { // P7
    auto here = connect();
    auto there = direct();
    auto got = mutex{there, "stock", options()}.acquire();
    auto waiting = wait_for(here, options());
    std::this_thread::sleep_for(100ms);
    between.cut();
    ASSERT_TRUE(eventually([&] {
        return !server.command({"PUBSUB", "CHANNELS", "*stock*"}).items().empty();
    })) << "it listens again";
    std::this_thread::sleep_for(50ms);
    EXPECT_FALSE(waiting.done());
    const stopwatch since;
    got.release();
    (void)waiting.get();
    EXPECT_LT(since.elapsed(), scaled(300ms));
}

TEST_P(layout_lost_answer, scripts_that_the_server_lost_are_loaded_again) {
    auto here = connect();
    mutex lock{here, "stock", options()};
    lock.acquire().release();
    server.command({"SCRIPT", "FLUSH"});
    auto got = lock.acquire();
    EXPECT_TRUE(held());
    server.command({"SCRIPT", "FLUSH"});
    EXPECT_EQ(got.release(), release_answer::released);
    EXPECT_FALSE(held());
}

TEST_P(layout_lost_answer, of_a_late_duplicate_ends_with_its_lease_at_the_latest) {
    auto here = connect("?timeout=200");
    mutex{here, "other", options()}.acquire().release();
    between.hold_requests({.with = GetParam().acquires});
    auto got = mutex{here, "stock", options(1s)}.acquire();
    ASSERT_EQ(between.counts().held, 1U);
    ASSERT_EQ(got.release(), release_answer::released);
    const auto answered = between.counts().answers;
    between.release();
    ASSERT_TRUE(eventually([&] { return between.counts().answers > answered; }));
    if (GetParam().name != "plain") {
        EXPECT_FALSE(held()) << "a script refuses what comes too late";
    }
    EXPECT_TRUE(eventually([&] { return !held(); }, scaled(2s))) << "SET has no not-after";
}

TEST_P(layout_lost_answer, of_a_server_that_hangs_is_a_loss_signalled_in_time) { // P2
    auto here = direct();
    auto got = mutex{here, "stock", options(scaled(600ms))}.acquire();
    server.pause();
    EXPECT_TRUE(eventually([&] { return !got.valid(); }, scaled(600ms)));
    server.resume();
}

} // namespace
} // namespace holdfast::test
