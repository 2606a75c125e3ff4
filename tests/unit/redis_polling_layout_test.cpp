// polling_layout: the commands it sends, and the answers it makes of replies and messages.

#include "holdfast/engine/redis/layout/layout_set.hpp"
#include "unit/redis_channel_fixture.hpp"

namespace holdfast::test {
namespace {

using target = engine::redis::op_target;

using engine::op_status;

constexpr auto* null_reply = "_\r\n";

class redis_polling_layout : public redis_channel {
protected:
    redis_polling_layout() {
        plain().attach(*this);
        channel.clock().learn(1'700'000'000'000'000, now, now);
    }
    ~redis_polling_layout() override { close({}); } // while there is a layout to hear of it

    [[nodiscard]] engine::redis::lock_layout& plain() const {
        return layouts.for_format({holdfast::layout::plain, {}});
    }
    [[nodiscard]] engine::ticket ticket(std::uint64_t number) const {
        return {"stock", {identity.client, number}, {}};
    }
    void begin(engine::op_id id, const engine::op& op) {
        plain().begin(*start(id), op, channel, now);
    }
    /// The ticket has the operation's number.
    void acquire(engine::op_id id, engine::queueing queue = engine::queueing::no) {
        engine::acquire_op op;
        op.ticket = ticket(id);
        op.lease = 30s;
        op.queue = queue;
        begin(id, op);
    }
    /// Without those that load scripts, whose replies are given.
    std::vector<std::string> take_names() {
        auto names = take_command_names();
        const auto loads = std::erase(names, "SCRIPT");
        for (std::size_t i = 0; i < loads; ++i) { EXPECT_EQ(say("$1\r\nx\r\n"), ""); }
        return names;
    }
    static std::string bulk(const std::string& text) {
        return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
    }
    /// Two wait, the second behind the first.
    void let_two_wait() {
        acquire(1, engine::queueing::hint);
        take_names();
        say(bulk("somebody else"));
        take_names();
        confirm_subscription();
        say("*2\r\n:1\r\n:5000\r\n");
        acquire(2, engine::queueing::hint);
        take_names();
        say("*2\r\n:1\r\n:5000\r\n");
        ASSERT_EQ(statuses(1), std::vector{op_status::queued});
        ASSERT_EQ(statuses(2), std::vector{op_status::queued});
    }
    void confirm_subscription() { say(">3\r\n$9\r\nsubscribe\r\n$1\r\nx\r\n:1\r\n"); }
    void publish(const std::string& payload) {
        say(">3\r\n" + bulk("message") + bulk("hf:free:stock") + bulk(payload));
    }

    const engine::client_identity identity = engine::this_process();
    const engine::redis::options options{};
    engine::redis::layout_set layouts{options, identity, operations};
};

TEST_F(redis_polling_layout, takes_a_free_lock_without_a_script) {
    acquire(7);
    EXPECT_THAT(take_names(), testing::ElementsAre("SET"));
    EXPECT_EQ(say(null_reply), "");
    EXPECT_EQ(statuses(7), std::vector{op_status::granted});
    EXPECT_EQ(operations.active(), 0U);
}

TEST_F(redis_polling_layout, is_busy_for_a_try) {
    acquire(7);
    take_names();
    EXPECT_EQ(say(bulk("somebody else")), "");
    EXPECT_EQ(statuses(7), std::vector{op_status::busy});
    EXPECT_TRUE(take_names().empty());
}

TEST_F(redis_polling_layout, uses_the_script_if_the_value_is_its_own) {
    acquire(7);
    take_names();
    EXPECT_EQ(say(bulk(ticket(7).owner.text())), "");
    EXPECT_TRUE(answers.empty()) << "the first request's reply was lost: how long is its lease?";
    EXPECT_THAT(take_names(), testing::ElementsAre("EVALSHA"));
    EXPECT_EQ(say(":0\r\n"), "");
    EXPECT_EQ(statuses(7), std::vector{op_status::granted});
    EXPECT_EQ(operations.active(), 0U);
}

TEST_F(redis_polling_layout, does_not_retry_an_operation_that_has_timed_out) {
    acquire(7);
    take_names();
    operations.expire(now + 1h, [](auto& each) { each.complete(op_status::unknown); });
    EXPECT_EQ(say(bulk(ticket(7).owner.text())), "");
    EXPECT_TRUE(take_names().empty()) << "it may be withdrawn by now";
    EXPECT_EQ(operations.active(), 0U);
}

TEST_F(redis_polling_layout, sends_no_second_request_behind_the_withdrawal_of_its_ticket) {
    acquire(1, engine::queueing::listen);
    take_names();
    begin(2, engine::withdraw_op{ticket(1), true});
    EXPECT_THAT(take_names(), testing::ElementsAre("EVALSHA"));
    say(bulk("somebody else"));
    EXPECT_TRUE(take_names().empty()) << "if the lock is free by now, nobody would give it back";
    EXPECT_EQ(statuses(1), std::vector{op_status::busy});
    say(":0\r\n");

    acquire(1, engine::queueing::listen); // the ticket asks again
    take_names();
    say(bulk("somebody else"));
    EXPECT_THAT(take_names(), testing::ElementsAre("SUBSCRIBE", "EVALSHA"));
}

TEST_F(redis_polling_layout, does_not_take_a_lock_again_that_its_withdrawal_gives_back) {
    acquire(1);
    take_names();
    begin(2, engine::withdraw_op{ticket(1), true});
    take_names();
    say(bulk(ticket(1).owner.text()));
    EXPECT_TRUE(take_names().empty());
    EXPECT_EQ(statuses(1), std::vector{op_status::unknown});
}

TEST_F(redis_polling_layout, withdraws_a_cancelled_grant) {
    acquire(7);
    take_names();
    operations.cancel(7);
    EXPECT_EQ(say(null_reply), "");
    EXPECT_THAT(take_names(), testing::ElementsAre("EVALSHA"));
    EXPECT_EQ(say(":1\r\n"), "");
    EXPECT_TRUE(answers.empty());
    EXPECT_EQ(operations.active(), 0U);
}

TEST_F(redis_polling_layout, subscribes_before_it_acquires_again_and_waits) {
    acquire(1, engine::queueing::hint);
    take_names();
    say(bulk("somebody else"));
    EXPECT_THAT(take_names(), testing::ElementsAre("SUBSCRIBE", "EVALSHA"))
        << "a release after that is heard";
    EXPECT_TRUE(answers.empty());
    confirm_subscription();
    say("*2\r\n:1\r\n:20\r\n");
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers[0].status, op_status::queued);
    EXPECT_EQ(answers[0].check_in, 21ms) << "when the hold in the way ends";
}

TEST_F(redis_polling_layout, notifies_the_first_waiter_of_a_release) {
    let_two_wait();
    publish("0");
    EXPECT_THAT(notified(), testing::ElementsAre(1));
}

TEST_F(redis_polling_layout, notifies_all_waiters_if_the_message_is_for_all) {
    let_two_wait();
    publish("1");
    EXPECT_THAT(notified(), testing::ElementsAre(1, 2));
}

TEST_F(redis_polling_layout, notifies_the_next_when_the_first_leaves) {
    let_two_wait();
    begin(3, engine::withdraw_op{ticket(1)});
    EXPECT_THAT(notified(), testing::ElementsAre(2)) << "the first may have heard of a release";
}

TEST_F(redis_polling_layout, keeps_waiters_when_the_connection_ends) {
    let_two_wait();
    close({make_error_code(errc::unavailable), "it broke", true});
    open();
    acquire(1, engine::queueing::hint);
    EXPECT_THAT(take_names(), testing::ElementsAre("SUBSCRIBE", "EVALSHA"))
        << "subscribed anew, before it asks";
}

TEST_F(redis_polling_layout, answers_heartbeats_of_waiters_itself) {
    engine::beat_op beat;
    beat.items.push_back({ticket(1), true, 0ms, 0});
    EXPECT_TRUE(plain().complete_locally(*start(7), beat));
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers[0].beats.at(0).status, op_status::lost) << "ask again";
    beat.items.push_back({ticket(2), false, 30s, 1});
    const auto operation = start(8);
    EXPECT_FALSE(plain().complete_locally(*operation, beat)) << "a renewal needs the server";
    operation->complete(op_status::unknown);
}

TEST_F(redis_polling_layout, answers_released_for_not_held_when_a_release_is_sent_again) {
    begin(1, engine::release_op{ticket(7)});
    take_names();
    close({make_error_code(errc::unavailable), "it broke", true});
    EXPECT_EQ(statuses(1), std::vector{op_status::unknown});
    open();
    begin(2, engine::release_op{ticket(7)});
    take_names();
    say(":0\r\n");
    EXPECT_EQ(statuses(2), std::vector{op_status::released});
    begin(3, engine::release_op{ticket(7)});
    take_names();
    say(":0\r\n");
    EXPECT_EQ(statuses(3), std::vector{op_status::not_held}) << "the last one was answered";
}

TEST_F(redis_polling_layout, withdraws_an_acquire_that_may_arrive_after_it_timed_out) {
    acquire(7);
    take_names();
    operations.cancel(7);
    close({make_error_code(errc::unavailable), "it broke", true});
    EXPECT_TRUE(answers.empty());
    const engine::redis::channel_finder nowhere = [](const target&) { return nullptr; };
    const engine::redis::channel_finder here = [&](const target&) { return &channel; };
    EXPECT_LE(plain().due(), now + 1s);
    now = plain().due();
    plain().on_timer(nowhere, now);
    EXPECT_EQ(plain().due(), base::never) << "there is no connection";
    open();
    plain().on_ready(now);
    EXPECT_LE(plain().due(), now);
    plain().on_timer(here, now);
    EXPECT_THAT(take_names(), testing::ElementsAre("EVALSHA"));
    say(":1\r\n");
    EXPECT_TRUE(answers.empty());
    EXPECT_EQ(operations.active(), 0U);
}

TEST_F(redis_polling_layout, unsubscribes_after_a_while_without_waiters) {
    let_two_wait();
    const engine::redis::channel_finder here = [&](const target&) { return &channel; };
    begin(3, engine::withdraw_op{ticket(2)});
    begin(4, engine::withdraw_op{ticket(1)});
    take_names();
    now += 1s;
    ASSERT_LE(plain().due(), now);
    plain().on_timer(here, now);
    EXPECT_THAT(take_names(), testing::ElementsAre("UNSUBSCRIBE"));
}

TEST_F(redis_polling_layout, rejects_options_that_the_layout_cannot_store) {
    const auto rejects = [this](const engine::op& op) {
        return plain().reject_unsupported(op) != nullptr;
    };
    /// An acquire with one thing changed.
    const auto rejects_acquire = [&](auto change) {
        engine::acquire_op op;
        op.ticket = ticket(1);
        change(op);
        return rejects(op);
    };
    EXPECT_FALSE(rejects_acquire([](auto& /*op*/) {}));
    EXPECT_TRUE(rejects_acquire([](auto& op) { op.kind = primitive::semaphore; }));
    EXPECT_TRUE(rejects_acquire([](auto& op) { op.min_hold = 1s; }));
    EXPECT_TRUE(rejects_acquire([](auto& op) { op.proposed_token = 7; }));
    EXPECT_TRUE(rejects_acquire([](auto& op) { op.note = "nightly"; }));
    EXPECT_TRUE(rejects(engine::list_op{}));
    EXPECT_FALSE(rejects(engine::release_op{ticket(1)}));
    EXPECT_EQ(layouts.for_format({}).reject_unsupported(engine::list_op{}), nullptr);
}

} // namespace
} // namespace holdfast::test
