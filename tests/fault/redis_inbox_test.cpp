// P6, P7: grants are pushed; a push may be lost or late, or have no subscriber.

#include "fault/redis_fixture.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace holdfast::test {
namespace {

using engine::op_status;
using engine::queueing;

const request in_line{.queue = queueing::grant};

/// P7: the delay by a lost push, on a busy machine.
constexpr milliseconds a_second = 1s + scaled(400ms);
/// G, and the half second until the next beat.
constexpr milliseconds deaf_hand_off = 2s + 500ms + scaled(500ms);

class redis_inbox : public redis_fault {
protected:
    client holder{direct()};
    lease held{mutex{holder, "stock"}.acquire()};

    /// Releases; returns how long the waiter took from then on.
    template <class Waiter>
    milliseconds hand_over(Waiter& to) {
        const stopwatch watch;
        EXPECT_EQ(held.release(), release_answer::released);
        EXPECT_TRUE(to.done_within(long_wait));
        return watch.elapsed();
    }
    /// The connections of Holdfast, each a line of CLIENT LIST.
    [[nodiscard]] std::vector<std::string> connections() {
        std::istringstream all{server.command({"CLIENT", "LIST"}).string()};
        std::vector<std::string> out;
        for (std::string line; std::getline(all, line);) {
            if (line.find(" name=holdfast ") != std::string::npos) { out.push_back(line); }
        }
        return out;
    }
};

TEST_F(redis_inbox, shares_the_one_connection_of_a_client) {
    auto here = connect();
    auto waiting = wait_for(here);
    ASSERT_TRUE(eventually([&] { return queued() == 1; }));
    (void)mutex{here, "page"}.acquire().release();
    const auto seen = connections();
    ASSERT_EQ(seen.size(), 2U) << "the holder's and this one";
    for (const auto& each : seen) { EXPECT_THAT(each, testing::HasSubstr(" sub=2 ")); } // and all's
    EXPECT_EQ(between.counts().connections, 1U);
    hand_over(waiting);
    EXPECT_TRUE(waiting.get().valid());
    EXPECT_EQ(between.counts().connections, 1U);
}

TEST_F(redis_inbox, may_lose_a_grant_that_is_broken_then_and_the_waiter_is_served_later) { // P7
    auto here = connect();
    auto waiting = wait_for(here);
    ASSERT_TRUE(eventually([&] { return queued() == 1; }));
    between.drop_pushes({.times = 2}); // that it was granted, and that the hold was broken
    ASSERT_EQ(held.release(), release_answer::released);
    ASSERT_TRUE(admin{holder}.break_lock("stock"));
    ASSERT_TRUE(waiting.done_within(long_wait)) << "it asks as another owner";
    EXPECT_TRUE(waiting.get().valid());
    EXPECT_EQ(between.counts().dropped_pushes, 2U);
}

TEST_F(redis_inbox, delivers_a_grant_without_a_request_of_the_waiter) {
    auto here = connect();
    auto waiting = wait_for(here);
    ASSERT_TRUE(will_wait(1));
    between.hold_requests({.times = for_good}); // it cannot ask
    const auto took = hand_over(waiting);
    between.heal();
    between.release();
    EXPECT_LT(took, a_second);
    EXPECT_GE(between.counts().pushes, 1U);
    EXPECT_TRUE(waiting.get().valid());
}

TEST_F(redis_inbox, delivers_a_hand_off_between_threads_of_one_client) {
    auto here = connect();
    auto own = mutex{here, "page"}.acquire();
    auto waiting = wait_for(here, {}, "page");
    ASSERT_TRUE(will_wait(1, "page"));
    // The push arrives together with the reply to the release that caused it.
    EXPECT_EQ(own.release(), release_answer::released);
    EXPECT_TRUE(waiting.done_within(a_second));
    EXPECT_TRUE(waiting.get().valid());
}

// The connection is lost, and with it the pushes meanwhile.

TEST_F(redis_inbox, that_is_cut_is_opened_again_and_the_waiter_beats_at_once) {
    auto here = connect();
    auto waiting = wait_for(here);
    ASSERT_TRUE(will_wait(1));
    between.cut();
    EXPECT_LT(hand_over(waiting), a_second);
    EXPECT_TRUE(waiting.get().valid());
    EXPECT_EQ(between.counts().connections, 2U);
}

TEST_F(redis_inbox, that_stays_unreachable_delays_by_no_more_than_that_and_a_second) {
    auto here = connect();
    auto waiting = wait_for(here);
    ASSERT_TRUE(will_wait(1));
    between.refuse_new();
    between.cut();
    EXPECT_EQ(held.release(), release_answer::released);
    EXPECT_FALSE(waiting.done_within(500ms));
    between.serve_new();
    EXPECT_TRUE(waiting.done_within(a_second));
    EXPECT_TRUE(waiting.get().valid());
}

TEST_F(redis_inbox, that_is_half_open_is_noticed_by_the_waiters_beats_within_the_time_out) {
    auto here = connect("?timeout=300");
    auto waiting = wait_for(here);
    ASSERT_TRUE(will_wait(1));
    between.half_open();
    EXPECT_LT(hand_over(waiting), 300ms + a_second);
    EXPECT_TRUE(waiting.get().valid());
    EXPECT_EQ(between.counts().connections, 2U);
}

TEST_F(redis_inbox, that_was_half_open_receives_messages_again) {
    auto here = connect("?timeout=300");
    auto waiting = wait_for(here);
    ASSERT_TRUE(will_wait(1));
    between.half_open();
    ASSERT_TRUE(eventually([&] { return between.counts().connections == 2; }));
    ASSERT_TRUE(eventually([&] { return connections().size() == 4; }))
        << "the holder's, the looker's, the half-open one and the new one";
    between.hold_requests({.times = for_good}); // it cannot ask
    EXPECT_LT(hand_over(waiting), scaled(300ms));
    between.heal();
    between.release();
}

// A push is lost, or late.

TEST_F(redis_inbox, that_loses_a_push_delays_by_at_most_a_second) {
    auto here = connect();
    auto waiting = wait_for(here);
    ASSERT_TRUE(will_wait(1));
    between.drop_pushes();
    EXPECT_LT(hand_over(waiting), a_second);
    EXPECT_EQ(between.counts().dropped_pushes, 1U);
    EXPECT_TRUE(waiting.get().valid());
    EXPECT_EQ(between.counts().connections, 1U);
}

TEST_F(redis_inbox, whose_push_is_late_delays_by_a_second_and_ignores_the_late_push) {
    auto here = connect();
    auto waiting = wait_for(here);
    ASSERT_TRUE(will_wait(1));
    between.hold_pushes();
    EXPECT_LT(hand_over(waiting), a_second);
    auto got = waiting.get();
    ASSERT_EQ(between.counts().held, 1U);
    const auto token = got.token();
    got.release();
    between.release();
    (void)here.ping(); // the push is there now
    EXPECT_FALSE(is_held());
    EXPECT_GT((mutex{here, "stock"}.acquire().token()), token);
}

TEST_F(redis_inbox, whose_push_is_late_does_not_affect_its_lease) {
    auto here = connect();
    auto waiting = wait_for(here);
    ASSERT_TRUE(will_wait(1));
    between.hold_pushes();
    EXPECT_LT(hand_over(waiting), a_second);
    auto got = waiting.get();
    between.release();
    (void)here.ping();
    EXPECT_TRUE(got.valid());
    EXPECT_EQ(got.release(), release_answer::released);
}

TEST_F(redis_inbox, whose_push_is_behind_a_missing_reply_is_opened_again) {
    auto here = connect("?timeout=300");
    auto waiting = wait_for(here);
    ASSERT_TRUE(will_wait(1));
    between.hold_answers({.with = call_of(scripts::beat)});
    ASSERT_TRUE(eventually([&] { return between.counts().held == 1; }));
    EXPECT_LT(hand_over(waiting), 300ms + a_second);
    EXPECT_TRUE(waiting.get().valid());
}

// Waiters without a subscription.

TEST_F(redis_inbox, that_is_missing_makes_the_server_pass_over_the_waiter_which_stays_first) {
    auto deaf = connect();
    auto hearing = direct();
    auto first = wait_for(deaf, {.note = "deaf"});
    ASSERT_TRUE(will_wait(1));
    auto second = wait_for(hearing, {.note = "hearing"});
    ASSERT_TRUE(will_wait(2));
    between.refuse_new();
    between.cut();
    ASSERT_TRUE(will_listen(3)) << "the holder, the hearing one, the looker";
    EXPECT_LT(hand_over(second), scaled(300ms)) << "at once, not after a second";
    auto got = second.get();
    const auto waiters = look().waiters;
    ASSERT_EQ(waiters.size(), 1U);
    EXPECT_EQ(waiters[0].note, "deaf");
    between.heal();
    got.release();
    EXPECT_TRUE(first.done_within(a_second));
}

// Waiters that do not beat, of a client whose inbox is closed.
class redis_unsubscribed_crowd : public redis_inbox {
protected:
    seam_client deaf{between.url()};

    void queue_up(int count) {
        ASSERT_TRUE(deaf.queue_up("stock", count));
        between.refuse_new();
        between.cut();
        ASSERT_TRUE(will_listen(1)) << "the holder";
    }
};

TEST_F(redis_unsubscribed_crowd, of_fifteen_is_passed_over_at_once) {
    auto here = direct();
    queue_up(15);
    auto waiting = wait_for(here);
    ASSERT_TRUE(eventually([&] { return queued() == 16; }));
    EXPECT_LT(hand_over(waiting), scaled(300ms));
    EXPECT_EQ(queued(), 15) << "they keep their places";
}

TEST_F(redis_unsubscribed_crowd, of_more_is_not_passed_over_by_one_script_call) { // P9
    auto here = direct();
    queue_up(40);
    auto waiting = wait_for(here);
    ASSERT_TRUE(eventually([&] { return queued() == 41; }));
    server.command({"CONFIG", "RESETSTAT"});
    EXPECT_EQ(held.release(), release_answer::released);
    const auto published = server.calls_of("publish");
    EXPECT_GT(published, 0);
    EXPECT_LE(published, 16 + 1) << "the short way tries one, too";
    EXPECT_TRUE(waiting.done_within(3s + a_second)) << "when the silent ones have been dropped";
}

TEST_F(redis_inbox, of_a_stopped_process_counts_as_subscribed_and_delays_others_by_two_seconds) {
    auto here = direct();
    seam_client stopped{server.url()}; // one that is not driven reads nothing
    const auto ticket = stopped.ticket("stock");
    ASSERT_EQ(stopped.acquire(ticket, in_line).status, op_status::queued);
    auto waiting = wait_for(here);
    ASSERT_TRUE(will_wait(2));
    const auto took = hand_over(waiting);
    EXPECT_GT(took, 1s) << "it was handed to the stopped one first";
    EXPECT_LT(took, deaf_hand_off);
    auto got = waiting.get();
    // When it continues it reads its grant, and its renewal is answered lost.
    EXPECT_TRUE(stopped.await(engine::notice::kind::granted, ticket));
    EXPECT_EQ(stopped.renew(ticket).status, op_status::lost);
    EXPECT_EQ(stopped.release(ticket).status, op_status::not_held);
    EXPECT_TRUE(got.valid());
}

TEST_F(redis_inbox, of_a_dead_waiter_with_another_subscriber_delays_others_by_two_seconds) {
    redis_raw stranger{server.port()};
    ASSERT_FALSE(stranger.ask({"PSUBSCRIBE", "*"}).is_error());
    auto here = direct();
    {
        seam_client dead{server.url()};
        ASSERT_EQ(dead.acquire(dead.ticket("stock"), in_line).status, op_status::queued);
    }
    auto waiting = wait_for(here);
    ASSERT_TRUE(eventually([&] { return queued() == 2; }));
    EXPECT_LT(hand_over(waiting), deaf_hand_off);
    EXPECT_TRUE(waiting.get().valid());
    EXPECT_EQ(queued(), 0);
}

TEST_F(redis_inbox, of_a_dead_waiter_delays_nobody) {
    auto here = direct();
    {
        seam_client dead{server.url()};
        ASSERT_EQ(dead.acquire(dead.ticket("stock"), in_line).status, op_status::queued);
    }
    auto waiting = wait_for(here);
    ASSERT_TRUE(eventually([&] { return queued() == 2; }));
    ASSERT_TRUE(will_listen(2)) << "holder and waiter: the server knows that it has gone";
    EXPECT_LT(hand_over(waiting), scaled(300ms));
}

// Breaks are pushed, too.

TEST_F(redis_inbox, notifies_a_holder_of_a_break_at_once) {
    auto here = connect();
    const auto broken = mutex{here, "page"}.acquire();
    EXPECT_TRUE(admin{holder}.break_lock("page"));
    EXPECT_TRUE(eventually([&] { return broken.lost().stop_requested(); }, a_second))
        << "the next renewal is ten seconds away";
    EXPECT_EQ(broken.why_lost(), loss::taken);
}

TEST_F(redis_inbox, that_loses_the_notice_of_a_break_leaves_it_to_the_next_renewal) { // P2
    auto here = connect();
    const auto broken = mutex{here, "page"}.acquire({.lease = scaled(900ms)});
    between.drop_pushes();
    EXPECT_TRUE(admin{holder}.break_lock("page"));
    EXPECT_TRUE(eventually([&] { return !broken.valid(); }, scaled(900ms)));
    EXPECT_EQ(between.counts().dropped_pushes, 1U);
    EXPECT_EQ(broken.why_lost(), loss::taken);
}

TEST_F(redis_inbox, sockets_are_not_inherited_by_programs_that_the_process_starts) {
    auto here = connect();
    (void)here.ping();
    int sockets = 0;
    for (const auto& each : std::filesystem::directory_iterator{"/proc/self/fd"}) {
        std::error_code gone;
        if (!std::filesystem::read_symlink(each, gone).string().starts_with("socket:")) {
            continue;
        }
        ++sockets;
        std::ifstream info{"/proc/self/fdinfo/" + each.path().filename().string()};
        std::string word;
        unsigned long flags = 0;
        while (info >> word && word != "flags:") {}
        info >> std::oct >> flags;
        EXPECT_TRUE(flags & 02000000UL) << "without O_CLOEXEC: " << each.path();
    }
    EXPECT_GE(sockets, 4);
}

} // namespace
} // namespace holdfast::test
