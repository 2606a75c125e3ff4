// P5: a request that is resent, or arrives late or twice, takes effect once.
#include "contract/contract.hpp"

namespace {

using namespace holdfast::test;
using holdfast::engine::notice;
using holdfast::engine::op_status;
using holdfast::engine::queueing;

HOLDFAST_CONTRACT(resend);

const request in_line{.queue = queueing::grant};

TEST_P(resend, an_acquire_sent_twice_is_one_hold_with_one_token) { // P5
    seam_client all{url()};
    const auto held = all.ticket("stock");
    const auto first = all.acquire(held);
    const auto second = all.acquire(held);
    EXPECT_EQ(first.status, op_status::granted);
    EXPECT_EQ(second.status, op_status::granted);
    EXPECT_EQ(second.token, first.token);
    EXPECT_EQ(all.inspect("stock").holders.size(), 1U);
    EXPECT_EQ(all.release(held).status, op_status::released);
    EXPECT_TRUE(is_free("stock"));
}

TEST_P(resend, an_acquire_of_permits_sent_twice_takes_them_once) { // P5
    HOLDFAST_NEEDS(can(holdfast::primitive::semaphore).supported);
    seam_client all{url()};
    const request two{.kind = holdfast::primitive::semaphore,
                      .mode = holdfast::mode::permits,
                      .permits = 2,
                      .limit = 4};
    const auto held = all.ticket("slots");
    EXPECT_EQ(all.acquire(held, two).token, all.acquire(held, two).token);
    EXPECT_EQ(all.inspect("slots").holders.size(), 1U);
    EXPECT_EQ(all.acquire(all.ticket("slots"), two).status, op_status::granted);
}

TEST_P(resend, a_queued_acquire_sent_twice_keeps_its_one_place) { // P5, P6
    HOLDFAST_NEEDS(can().queue == queueing::grant);
    seam_client all{url()};
    const auto held = all.ticket("stock");
    ASSERT_EQ(all.acquire(held).status, op_status::granted);
    const auto waiter = all.ticket("stock");
    const auto two = all.ticket("stock");
    ASSERT_EQ(all.acquire(waiter, in_line).status, op_status::queued);
    ASSERT_EQ(all.acquire(two, in_line).status, op_status::queued);
    EXPECT_EQ(all.acquire(waiter, in_line).status, op_status::queued);

    const auto seen = all.inspect("stock");
    ASSERT_EQ(seen.waiters.size(), 2U);
    EXPECT_EQ(seen.waiters[0].owner, waiter.owner.text());
    EXPECT_EQ(seen.waiters[1].owner, two.owner.text());
}

TEST_P(resend, a_queued_acquire_sent_again_after_its_grant_is_answered_granted) { // P5
    HOLDFAST_NEEDS(can().queue == queueing::grant);
    seam_client all{url()};
    const auto held = all.ticket("stock");
    ASSERT_EQ(all.acquire(held).status, op_status::granted);
    const auto queued = all.ticket("stock");
    ASSERT_EQ(all.acquire(queued, in_line).status, op_status::queued);
    ASSERT_EQ(all.release(held).status, op_status::handed_off);
    const auto again = all.acquire(queued, in_line);
    EXPECT_EQ(again.status, op_status::granted);
    EXPECT_EQ(again.token, all.inspect("stock").holders.at(0).token);
}

TEST_P(resend, a_release_sent_twice_gets_the_same_answer) { // P5
    HOLDFAST_NEEDS(can().recalls_release);
    seam_client all{url()};
    const auto held = all.ticket("stock");
    ASSERT_EQ(all.acquire(held).status, op_status::granted);
    EXPECT_EQ(all.release(held).status, op_status::released);
    EXPECT_EQ(all.release(held).status, op_status::released);
    EXPECT_TRUE(is_free("stock"));
}

TEST_P(resend, a_release_sent_again_does_not_release_the_next_hold) { // P4, P5
    HOLDFAST_NEEDS(can().recalls_release);
    seam_client first{url()};
    seam_client second{url()};
    const auto held = first.ticket("stock");
    ASSERT_EQ(first.acquire(held).status, op_status::granted);
    ASSERT_EQ(first.release(held).status, op_status::released);
    const auto next = second.ticket("stock");
    ASSERT_EQ(second.acquire(next).status, op_status::granted);
    EXPECT_EQ(first.release(held).status, op_status::released);
    EXPECT_EQ(second.renew(next).status, op_status::renewed);
    EXPECT_EQ(second.inspect("stock").holders.size(), 1U);
}

TEST_P(resend, a_release_that_handed_off_is_answered_handed_off_again) { // P5
    HOLDFAST_NEEDS(can().queue == queueing::grant);
    seam_client first{url()};
    seam_client second{url()};
    const auto held = first.ticket("stock");
    ASSERT_EQ(first.acquire(held).status, op_status::granted);
    const auto next = second.ticket("stock");
    ASSERT_EQ(second.acquire(next, in_line).status, op_status::queued);
    EXPECT_EQ(first.release(held).status, op_status::handed_off);
    EXPECT_EQ(first.release(held).status, op_status::handed_off);
    EXPECT_EQ(second.renew(next).status, op_status::renewed);
}

TEST_P(resend, an_acquire_after_its_not_after_takes_nothing) { // P5
    HOLDFAST_NEEDS(can().not_after);
    seam_client late{url()};
    const auto ticket = late.ticket("stock");
    // Well past, because an engine with another clock translates it with an error.
    const auto past = late.identity().time->now() - 2s;
    EXPECT_EQ(late.acquire(ticket, {.not_after = past}).status, op_status::busy);
    EXPECT_EQ(
        late.acquire(late.ticket("stock"), {.queue = queueing::grant, .not_after = past}).status,
        op_status::busy);
    const auto seen = late.inspect("stock");
    EXPECT_TRUE(seen.holders.empty());
    EXPECT_TRUE(seen.waiters.empty());
}

TEST_P(resend, an_acquire_before_its_not_after_is_granted) { // P5
    seam_client prompt{url()};
    const auto soon = prompt.identity().time->now() + long_wait;
    EXPECT_EQ(prompt.acquire(prompt.ticket("stock"), {.not_after = soon}).status,
              op_status::granted);
}

TEST_P(resend, a_late_duplicate_is_not_queued) { // P5, P8
    HOLDFAST_NEEDS(can().queue == queueing::grant);
    seam_client all{url()};
    const auto held = all.ticket("stock");
    ASSERT_EQ(all.acquire(held).status, op_status::granted);
    request late = in_line;
    late.not_after = all.identity().time->now() - 2s;
    EXPECT_EQ(all.acquire(all.ticket("stock"), late).status, op_status::busy);
    EXPECT_TRUE(all.inspect("stock").waiters.empty());
}

TEST_P(resend, a_duplicate_acquire_after_the_release_takes_nothing) { // P5
    HOLDFAST_NEEDS(can().recalls_release);
    seam_client all{url()};
    const auto held = all.ticket("stock");
    ASSERT_EQ(all.acquire(held).status, op_status::granted);
    ASSERT_EQ(all.release(held).status, op_status::released);
    EXPECT_EQ(all.acquire(held).status, op_status::busy);
    EXPECT_EQ(all.acquire(held, in_line).status, op_status::busy);
    EXPECT_TRUE(is_free("stock"));
}

TEST_P(resend, a_withdraw_releases_a_grant_made_meanwhile) { // P5
    seam_client all{url()};
    const auto held = all.ticket("stock");
    ASSERT_EQ(all.acquire(held).status, op_status::granted);
    EXPECT_EQ(all.withdraw(held).status, op_status::released);
    EXPECT_TRUE(is_free("stock"));
    (void)all.withdraw(held);
    EXPECT_TRUE(all.inspect("stock").holders.empty());
}

TEST_P(resend, a_withdraw_of_a_hand_off_grants_the_next_waiter) { // P5, P6
    HOLDFAST_NEEDS(can().queue == queueing::grant);
    seam_client all{url()};
    seam_client last{url()};
    const auto held = all.ticket("stock");
    ASSERT_EQ(all.acquire(held).status, op_status::granted);
    const auto quitter = all.ticket("stock");
    ASSERT_EQ(all.acquire(quitter, in_line).status, op_status::queued);
    const auto next = last.ticket("stock");
    ASSERT_EQ(last.acquire(next, in_line).status, op_status::queued);
    ASSERT_EQ(all.release(held).status, op_status::handed_off);
    EXPECT_EQ(all.withdraw(quitter).status, op_status::released);
    EXPECT_TRUE(last.await(grant_notice(), next));
}

TEST_P(resend, a_withdraw_sent_twice_does_not_end_the_next_hold) { // P4, P5
    seam_client first{url()};
    seam_client second{url()};
    const auto quitter = first.ticket("stock");
    ASSERT_EQ(first.acquire(quitter).status, op_status::granted);
    ASSERT_EQ(first.withdraw(quitter).status, op_status::released);
    const auto next = second.ticket("stock");
    ASSERT_EQ(second.acquire(next).status, op_status::granted);
    (void)first.withdraw(quitter);
    EXPECT_EQ(second.renew(next).status, op_status::renewed);
}

TEST_P(resend, a_cancelled_operation_leaves_nothing) { // P5, P8
    seam_client all{url()};
    const auto held = all.ticket("stock");
    ASSERT_EQ(all.acquire(held).status, op_status::granted);
    for (const char* name : {"stock", "free"}) {
        const auto id = all.start(seam_client::acquire_op(all.ticket(name), in_line));
        // An engine may answer before submit returns: then there is nothing left to cancel.
        if (const auto answer = all.answer_to(id)) {
            EXPECT_TRUE(answer->status == op_status::queued ||
                        answer->status == op_status::granted);
            continue;
        }
        all.cancel(id);
        EXPECT_TRUE(eventually([&] {
            const auto seen = all.inspect(name);
            return seen.waiters.empty() && (name == held.name || seen.holders.empty());
        }));
        EXPECT_EQ(all.times_answered(id), 0U);
    }
}

TEST_P(resend, every_operation_is_answered_exactly_once) { // P5
    seam_client all{url()};
    std::vector<holdfast::engine::op_id> ids;
    for (int i = 0; i < 50; ++i) {
        const auto ticket = all.ticket("stock:" + std::to_string(i % 5));
        ids.push_back(all.start(seam_client::acquire_op(ticket, {})));
        ids.push_back(all.start(holdfast::engine::release_op{ticket}));
    }
    ids.push_back(all.start(holdfast::engine::diagnose_op{}));
    ids.push_back(all.start(holdfast::engine::beat_op{}));
    all.drive_for(scaled(300ms));
    for (const auto id : ids) { EXPECT_EQ(all.times_answered(id), 1U) << id; }
}

TEST_P(resend, items_of_one_beat_do_not_affect_each_other) { // P5
    seam_client all{url()};
    const auto a = all.ticket("a");
    const auto b = all.ticket("b");
    ASSERT_EQ(all.acquire(a).status, op_status::granted);
    ASSERT_EQ(all.acquire(b).status, op_status::granted);
    const auto nobody = all.ticket("a");
    const auto answer =
        all.ask(holdfast::engine::beat_op{.items = {{.ticket = a, .lease = 30s},
                                                    {.ticket = nobody, .lease = 30s},
                                                    {.ticket = b, .lease = 30s}}});
    ASSERT_EQ(answer.beats.size(), 3U);
    EXPECT_EQ(answer.beats[0].status, op_status::renewed);
    EXPECT_EQ(answer.beats[0].ticket, a);
    EXPECT_EQ(answer.beats[1].status, op_status::lost);
    EXPECT_EQ(answer.beats[2].status, op_status::renewed);
    EXPECT_EQ(answer.beats[2].ticket, b);
}

} // namespace
