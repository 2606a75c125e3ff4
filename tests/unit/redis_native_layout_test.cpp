// native_layout: the commands it sends, and the answers it makes of replies.

#include "holdfast/engine/redis/fields.hpp"
#include "holdfast/engine/redis/layout/native/native_layout.hpp"
#include "holdfast/engine/redis/protocol/wire_text.hpp"
#include "unit/redis_channel_fixture.hpp"

namespace holdfast::test {
namespace {

using engine::op_status;
namespace fields = engine::redis::fields;
namespace scripts = engine::redis::scripts;

class redis_native_layout : public redis_channel {
protected:
    redis_native_layout() {
        layout.attach(*this);
        channel.clock().learn(server_start_us, now, now);
    }
    ~redis_native_layout() override { close({}); } // while there is a layout to hear of it

    [[nodiscard]] engine::ticket ticket(std::uint64_t number, std::string name = "stock") const {
        return {std::move(name), {identity.client, number}, {}};
    }
    /// The operation, as long as the channel does not hold it.
    engine::redis::operation_ref begin(engine::op_id id, const engine::op& op) {
        auto operation = start(id);
        layout.begin(*operation, op, channel, now);
        return operation;
    }
    void acquire(engine::op_id id, engine::queueing queue = engine::queueing::no) {
        engine::acquire_op op;
        op.ticket = ticket(id);
        op.lease = 30s;
        op.queue = queue;
        op.not_after = now + 20s;
        begin(id, op);
    }
    void release(engine::op_id id) { begin(id, engine::release_op{ticket(id), false, true}); }
    /// The scripts that were called since the last time, by name.
    std::vector<std::string> take_calls() {
        std::vector<std::string> out;
        for (const auto& command : take_commands()) { out.push_back(name_of(command)); }
        return out;
    }
    static std::string name_of(const words& command) {
        if (command[0] != "EVALSHA") { return command[0]; }
        for (const auto* const each : scripts::session_scripts) {
            if (each->sha == command[1]) { return std::string{each->name}; }
        }
        return command[1] == scripts::exchange.sha ? "exchange" : "?";
    }

    static constexpr std::int64_t server_start_us = 1'700'000'000'000'000;
    const engine::client_identity identity = engine::this_process();
    const engine::redis::options options{};
    engine::redis::native_layout layout{options, identity};
};

TEST_F(redis_native_layout, sends_the_not_after_of_an_acquire) {
    acquire(7);
    const auto sent = take_commands();
    ASSERT_EQ(sent.size(), 1U);
    const auto& argument = sent[0].at(4);
    EXPECT_EQ(std::stoll(argument.substr(0, fields::ask_not_after.length)),
              server_start_us + 2'000'000)
        << "the command time-out";
    EXPECT_EQ(fields::ask_owner.of(argument), engine::redis::wire_owner({identity.client, 7}));
}

TEST_F(redis_native_layout, completes_an_acquire_as_the_script_replies) {
    struct row {
        const char* reply;
        op_status status;
    };
    engine::op_id id = 0;
    for (const row& each : {
             row{":1700000000000001\r\n", op_status::granted},
             row{"*3\r\n:1\r\n:2\r\n:500\r\n", op_status::queued},
             row{":-63\r\n", op_status::queued}, row{"*2\r\n:2\r\n:0\r\n", op_status::busy},
             row{"*2\r\n:4\r\n$1\r\np\r\n", op_status::failed},
             row{"*2\r\n:5\r\n:3\r\n", op_status::failed},
             row{"*2\r\n:6\r\n:10000\r\n", op_status::failed},
             row{"*2\r\n:7\r\n:0\r\n", op_status::failed},
             row{"*2\r\n:8\r\n:0\r\n", op_status::not_joined},
             row{"*2\r\n:10\r\n:0\r\n", op_status::failed},
             row{"*2\r\n:11\r\n:0\r\n", op_status::failed}, // none that this version knows
         }) {
        acquire(++id);
        EXPECT_EQ(say(each.reply), "");
        EXPECT_EQ(statuses(id), std::vector{each.status}) << each.reply;
    }
    acquire(++id);
    EXPECT_NE(say("+OK\r\n"), "") << "no acquire is answered so";
}

TEST_F(redis_native_layout, distinguishes_a_changed_server_clock_from_a_late_acquire) {
    acquire(1);
    const auto in_an_hour = std::to_string(server_start_us + 3'600'000'000);
    EXPECT_EQ(say("*2\r\n:3\r\n:" + in_an_hour + "\r\n"), "");
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers[0].status, op_status::failed);
    EXPECT_TRUE(answers[0].retry_now);
    EXPECT_THAT(answers[0].detail, testing::HasSubstr("its clock has been changed"));
    EXPECT_EQ(channel.clock().translate(now), server_start_us + 3'600'000'000) << "it has learned";
    acquire(2);
    now += 21s;
    EXPECT_EQ(say("*2\r\n:3\r\n:" + in_an_hour + "\r\n"), "");
    EXPECT_EQ(statuses(2), std::vector{op_status::busy}) << "it was late indeed";
}

TEST_F(redis_native_layout, withdraws_a_cancelled_grant_or_queue_place) {
    for (const auto* const reply : {":1700000000000001\r\n", ":-63\r\n"}) {
        acquire(7);
        take_commands();
        operations.cancel(7);
        EXPECT_EQ(say(reply), "");
        EXPECT_THAT(take_calls(), testing::ElementsAre("withdraw"));
        EXPECT_EQ(operations.active(), 1U) << "until that is answered";
        EXPECT_EQ(say(":1\r\n"), "");
        EXPECT_EQ(operations.active(), 0U);
    }
    EXPECT_TRUE(answers.empty());
}

TEST_F(redis_native_layout, withdraws_nothing_if_a_cancelled_acquire_was_refused) {
    acquire(7);
    take_commands();
    operations.cancel(7);
    EXPECT_EQ(say("*2\r\n:2\r\n:0\r\n"), "");
    EXPECT_TRUE(take_calls().empty());
    EXPECT_EQ(operations.active(), 0U);
}

TEST_F(redis_native_layout, sends_again_with_a_later_not_after_when_the_first_may_arrive) {
    acquire(7);
    const auto first = take_commands().at(0);
    close({make_error_code(errc::unavailable), "it broke", true});
    EXPECT_EQ(statuses(7), std::vector{op_status::unknown});
    open();
    acquire(7);
    const auto again = take_commands().at(0);
    ASSERT_EQ(again.size(), 7U) << "with the not-after of the first";
    EXPECT_EQ(again[6], first[4].substr(0, 16));
    EXPECT_GT(again[4].substr(0, 16), first[4].substr(0, 16));
}

TEST_F(redis_native_layout, sends_as_usual_again_when_the_first_was_never_sent) {
    acquire(7);
    close({make_error_code(errc::unavailable), "it broke", true});
    EXPECT_EQ(statuses(7), std::vector{op_status::failed});
    open();
    acquire(7);
    EXPECT_EQ(take_commands().at(0).size(), 5U);
}

TEST_F(redis_native_layout, notes_after_a_reset_that_an_acquire_may_arrive) {
    acquire(7);
    take_commands();
    operations.forget_all();
    close({});
    EXPECT_TRUE(answers.empty());
    open();
    acquire(7);
    EXPECT_EQ(take_commands().at(0).size(), 7U);
}

TEST_F(redis_native_layout, merges_an_unsent_release_with_the_next_acquire) {
    release(1);
    acquire(2);
    EXPECT_THAT(take_calls(), testing::ElementsAre("release", "SCRIPT", "acquire"))
        << "the first time only the script is loaded";
    EXPECT_EQ(say(":1\r\n$1\r\nx\r\n:1700000000000001\r\n"), "");
    release(3);
    acquire(4);
    EXPECT_THAT(take_calls(), testing::ElementsAre("exchange"));
    EXPECT_EQ(say(":1700000000000002\r\n"), "");
    EXPECT_EQ(statuses(3), std::vector{op_status::released});
    EXPECT_EQ(statuses(4), std::vector{op_status::granted});
    release(5);
    acquire(6);
    take_calls();
    EXPECT_EQ(say("*3\r\n:9\r\n:0\r\n*2\r\n:2\r\n:0\r\n"), "");
    EXPECT_EQ(statuses(5), std::vector{op_status::not_held});
    EXPECT_EQ(statuses(6), std::vector{op_status::busy});
    EXPECT_EQ(operations.active(), 0U);
}

TEST_F(redis_native_layout, answers_both_unknown_if_a_merged_command_is_refused) {
    release(1);
    acquire(2);
    take_calls();
    say(":1\r\n$1\r\nx\r\n:1700000000000001\r\n");
    release(3);
    acquire(4);
    take_calls();
    EXPECT_EQ(say("-OOM full\r\n"), "");
    EXPECT_EQ(statuses(3), std::vector{op_status::unknown});
    EXPECT_EQ(statuses(4), std::vector{op_status::unknown});
}

TEST_F(redis_native_layout, merges_nothing_into_a_release_that_is_sent) {
    release(1);
    acquire(2);
    take_calls();
    say(":1\r\n$1\r\nx\r\n:1700000000000001\r\n");
    release(3);
    EXPECT_THAT(take_calls(), testing::ElementsAre("release"));
    acquire(4);
    EXPECT_THAT(take_calls(), testing::ElementsAre("acquire"));
}

TEST_F(redis_native_layout, lists_by_a_scan_and_an_inspection_of_each_name) {
    begin(7, engine::list_op{.prefix = "a", .cursor = {}, .count = 10});
    EXPECT_THAT(take_calls(), testing::ElementsAre("SCAN"));
    EXPECT_EQ(say("*2\r\n$1\r\n5\r\n*3\r\n$8\r\nhf:{a 2}\r\n$8\r\nhf:{a 1}\r\n$7\r\nhf:mark\r\n"),
              "");
    EXPECT_THAT(take_calls(), testing::ElementsAre("inspect", "inspect")) << "one is no lock";
    const std::string owner = engine::redis::wire_owner({identity.client, 3});
    EXPECT_EQ(say("*6\r\n:1000\r\n:9\r\n$1\r\nm\r\n:1\r\n*1\r\n*6\r\n$48\r\n" + owner +
                  "\r\n:9\r\n:2000\r\n:0\r\n:500\r\n$0\r\n\r\n*0\r\n"),
              "");
    EXPECT_TRUE(answers.empty()) << "not before the last";
    EXPECT_EQ(say("-WRONGTYPE not a string\r\n"), "");
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers[0].report->cursor, "5");
    ASSERT_EQ(answers[0].report->locks.size(), 1U);
    EXPECT_EQ(answers[0].report->locks[0].name, "a 1");
    EXPECT_EQ(operations.active(), 0U);
}

TEST_F(redis_native_layout, fails_a_list_once_for_any_number_of_errors) {
    begin(7, engine::list_op{.prefix = "a", .cursor = {}, .count = 10});
    say("*2\r\n$1\r\n0\r\n*2\r\n$8\r\nhf:{a 2}\r\n$8\r\nhf:{a 1}\r\n");
    EXPECT_EQ(say("-NOPERM no\r\n-NOPERM no\r\n"), "");
    EXPECT_EQ(statuses(7), std::vector{op_status::failed});
}

TEST_F(redis_native_layout, inspects_nothing_for_a_list_that_timed_out) {
    const auto operation = begin(7, engine::list_op{.prefix = "a", .cursor = {}, .count = 10});
    take_calls();
    operation->complete(op_status::unknown);
    say("*2\r\n$1\r\n0\r\n*1\r\n$8\r\nhf:{a 2}\r\n");
    EXPECT_TRUE(take_calls().empty());
    EXPECT_EQ(statuses(7).size(), 1U);
}

TEST_F(redis_native_layout, continues_a_list_behind_the_last_name_of_a_page) {
    begin(7, engine::list_op{.prefix = "a", .cursor = "4>a 1", .count = 1});
    EXPECT_EQ(take_commands().at(0).at(1), "4");
    say("*2\r\n$1\r\n0\r\n*3\r\n$8\r\nhf:{a 3}\r\n$8\r\nhf:{a 1}\r\n$8\r\nhf:{a 2}\r\n");
    EXPECT_THAT(take_calls(), testing::ElementsAre("inspect"));
    say("*6\r\n:1000\r\n:9\r\n$0\r\n\r\n:1\r\n*0\r\n*0\r\n");
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers[0].report->cursor, "4>a 2");
}

TEST_F(redis_native_layout, answers_each_item_of_a_batch) {
    engine::beat_op beat;
    for (const std::uint64_t number : {1U, 2U, 3U}) {
        beat.items.push_back({ticket(number), number == 3, 30s, 1});
    }
    const auto operation = begin(7, beat);
    EXPECT_TRUE(operation->renews);
    take_calls();
    EXPECT_NE(say("*2\r\n:1\r\n:1\r\n"), "") << "one is missing";
    EXPECT_EQ(say("*3\r\n:1\r\n$11\r\n-OOM broken\r\n*2\r\n:0\r\n:9\r\n"), "");
    ASSERT_EQ(answers.size(), 1U);
    ASSERT_EQ(answers[0].beats.size(), 3U);
    EXPECT_EQ(answers[0].beats[0].status, op_status::renewed);
    EXPECT_EQ(answers[0].beats[1].status, op_status::failed);
    EXPECT_EQ(answers[0].beats[2].status, op_status::granted);
    EXPECT_EQ(answers[0].beats[2].ticket, ticket(3));
}

TEST_F(redis_native_layout, suppresses_only_short_replies_in_a_long_queue) {
    acquire(1, engine::queueing::grant);
    EXPECT_FALSE(channel.watermark().wants_raising(1)) << "nothing is known of the queue";
    say(":-63\r\n");
    acquire(2, engine::queueing::grant);
    EXPECT_TRUE(channel.watermark().wants_raising(channel.requests().in_flight()));
    acquire(3);
    EXPECT_FALSE(channel.watermark().wants_raising(channel.requests().in_flight()))
        << "somebody waits for that reply";
    say(":1700000000000001\r\n");
    say("*2\r\n:2\r\n:0\r\n");
    EXPECT_FALSE(channel.watermark().wants_raising(channel.requests().in_flight()))
        << "the queue is short again";
}

/// The same numbers, on both sides of the wire.
TEST(redis_fields, agree_with_the_rest_of_the_library) {
    EXPECT_EQ(std::chrono::microseconds{fields::patience_us}, engine::waiter_timeout);
    EXPECT_EQ(std::chrono::microseconds{fields::hand_off_us}, engine::hand_off_lease);
    EXPECT_EQ(fields::no_instant.size(), fields::ask_not_after.length);
    EXPECT_EQ(fields::no_owner.size(), fields::ask_owner.length);
    EXPECT_EQ(fields::no_order.size(), fields::item_order.length);
}

TEST(redis_fields, are_contiguous) {
    EXPECT_EQ(fields::ask_owner.offset, fields::ask_rest.end());
    EXPECT_EQ(static_cast<std::size_t>(fields::ask_terms) - 1, fields::ask_owner.end());
    EXPECT_EQ(fields::ask_kind.offset, fields::ask_owner.end());
    const std::array terms{fields::terms_kind,     fields::terms_mode,    fields::terms_detached,
                           fields::terms_permits,  fields::terms_limit,   fields::terms_lease,
                           fields::terms_min_hold, fields::terms_queueing};
    for (std::size_t at = 1; at < terms.size(); ++at) {
        EXPECT_EQ(terms.at(at).offset, terms.at(at - 1).end()) << at;
    }
    EXPECT_EQ(fields::ask_lease.offset - fields::ask_kind.offset, fields::terms_lease.offset);
    EXPECT_EQ(fields::ask_queueing.offset - fields::ask_kind.offset, fields::terms_queueing.offset);
}

TEST_F(redis_native_layout, names_the_server_whose_clock_is_behind_a_proposed_token) {
    acquire(1);
    EXPECT_EQ(say("*2\r\n:10\r\n:1700000000000001\r\n"), "");
    EXPECT_THAT(answers.at(0).detail,
                testing::HasSubstr("more than 30 s ahead of the clock of Redis at server:6379"));
}

TEST_F(redis_native_layout, sends_the_node_and_then_the_tokens_of_releases) {
    engine::release_op released{ticket(1)};
    released.token = 77;
    begin(1, released);
    EXPECT_EQ(take_commands().at(0).size(), 5U) << "no vote was asked for yet";
    engine::acquire_op vote;
    vote.ticket = ticket(2);
    vote.proposed_token = 88;
    vote.node_id = 255;
    begin(2, vote);
    const auto asked = take_commands().at(0);
    ASSERT_EQ(asked.size(), 8U);
    EXPECT_EQ(asked[5], "88");
    EXPECT_EQ(asked[6], "0");
    EXPECT_EQ(asked[7], "00000000000000ff");
    begin(3, released);
    const auto sent = take_commands().at(0);
    ASSERT_EQ(sent.size(), 6U);
    EXPECT_EQ(sent[5], "77");
}

TEST_F(redis_native_layout, sends_a_withdrawal_for_now_with_its_not_after) {
    begin(1, engine::withdraw_op{ticket(1)});
    EXPECT_EQ(take_commands().at(0).size(), 5U);
    begin(2, engine::withdraw_op{.ticket = ticket(2), .asks_again = true});
    const auto sent = take_commands().at(0);
    ASSERT_EQ(sent.size(), 7U);
    EXPECT_EQ(sent[5], "0") << "no acquire can still arrive";
    EXPECT_EQ(sent[6], std::to_string(server_start_us + 2'000'000));
    EXPECT_EQ(say(":1\r\n"), "");
    EXPECT_EQ(say(":2\r\n"), "") << "too late";
    EXPECT_EQ(statuses(2), std::vector{op_status::failed});
    EXPECT_TRUE(answers.back().retry_now);
}

TEST_F(redis_native_layout, does_not_acquire_while_a_lost_withdrawal_may_arrive) {
    begin(1, engine::withdraw_op{.ticket = ticket(7), .asks_again = true});
    take_commands();
    close({});
    open();
    acquire(7);
    EXPECT_EQ(statuses(7), std::vector{op_status::failed});
    EXPECT_TRUE(take_calls().empty());
    acquire(8);
    EXPECT_THAT(take_calls(), testing::ElementsAre("acquire")) << "another ticket";
    now += 3100ms; // the time-out, and how wrong the server's clock may be known
    acquire(7);
    EXPECT_THAT(take_calls(), testing::ElementsAre("acquire"));
}

TEST_F(redis_native_layout, a_withdrawal_stops_a_reclaim_that_may_still_arrive) { // P5
    auto terms = std::make_shared<engine::acquire_op>();
    terms->ticket = ticket(7);
    terms->lease = 30s;
    terms->not_after = now + 1s;
    engine::beat_op beat;
    beat.items.push_back({ticket(7), false, 30s, 3, 1'700'000'000'000'001, terms});
    begin(1, beat);
    const auto item = take_commands().at(0).at(4);
    close({});
    open();
    begin(2, engine::withdraw_op{ticket(7)});
    const auto sent = take_commands().at(0);
    ASSERT_EQ(sent.size(), 6U);
    EXPECT_GE(sent[5], std::string{fields::item_not_after.of(item)});
    begin(3, engine::withdraw_op{ticket(8)});
    EXPECT_EQ(take_commands().at(0).size(), 5U) << "another ticket";
}

TEST_F(redis_native_layout, sends_what_a_reclaim_needs) {
    auto terms = std::make_shared<engine::acquire_op>();
    terms->ticket = ticket(7);
    terms->lease = 30s;
    terms->not_after = now + 1s;
    engine::beat_op beat;
    beat.items.push_back({ticket(7), false, 30s, 3, 1'700'000'000'000'001, terms});
    beat.items.push_back({ticket(8), false, 30s, 3, 1'700'000'000'000'001});
    begin(1, beat);
    const auto sent = take_commands().at(0);
    const auto& item = sent.at(5);
    EXPECT_EQ(fields::item_reclaims.of(item), "r");
    EXPECT_EQ(fields::item_token.of(item), "1700000000000001");
    EXPECT_EQ(fields::item_not_after.of(item), std::to_string(server_start_us + 1'000'000));
    EXPECT_EQ(item.substr(fields::item_not_after.end(), 2), "mx") << "the terms";
    EXPECT_EQ(sent.at(6).size(), fields::item_order.end()) << "a usual renewal is as short as ever";
    EXPECT_EQ(say("*2\r\n:2\r\n:1\r\n"), "");
    ASSERT_EQ(answers.at(0).beats.size(), 2U);
    EXPECT_EQ(answers[0].beats[0].status, op_status::reclaimed);
    EXPECT_EQ(answers[0].beats[1].status, op_status::renewed);
}

TEST_F(redis_native_layout, names_the_owner_of_another_client_in_full) {
    auto other = ticket(0xfedc'ba98'7654'3210U);
    other.owner.client.bytes.fill(0xab);
    begin(1, engine::release_op{other});
    EXPECT_EQ(take_commands().at(0).at(4), std::string{fields::no_instant} +
                                               "abababababababababababababababab"
                                               "fedcba9876543210");
}

TEST(redis_wire_text, writes_a_number_in_sixteen_digits) {
    std::string text(16, '?');
    for (const std::uint64_t number : {0UL, 7UL, 99'999'999UL, 100'000'000UL,
                                       1'763'496'540'123'456UL, 9'999'999'999'999'999UL}) {
        engine::redis::write_padded(text.data(), number);
        std::string padded;
        engine::redis::append_padded(padded, number, 16);
        EXPECT_EQ(text, padded);
    }
}

} // namespace
} // namespace holdfast::test
