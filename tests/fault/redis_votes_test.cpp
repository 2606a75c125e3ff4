// Votes for proposed tokens on a real server: what they cost, what they leave alone, and requests
// that arrive late.

#include "fault/redis_fixture.hpp"

namespace holdfast::test {
namespace {

using engine::notice;
using engine::op_status;
using engine::queueing;

class redis_votes : public redis_fault {
protected:
    [[nodiscard]] std::uint64_t clock() {
        const auto time = server.command({"TIME"}).items();
        return std::stoull(time.at(0).string()) * 1'000'000 + std::stoull(time.at(1).string());
    }
    [[nodiscard]] milliseconds life(const std::string& key) {
        return milliseconds{server.command({"PTTL", key}).number()};
    }
    /// Makes the server a node that votes at once.
    void make_node(seam_client& client) {
        const auto joined = client.ask(engine::join_op{60s, engine::join_mode::vote_now}).report;
        ASSERT_NE(joined, nullptr);
        node_id = joined->node_id;
    }
    std::uint64_t node_id = 0;
};

TEST_F(redis_votes, neither_read_nor_raise_the_mark) { // P3
    seam_client all{server.url()};
    server.command({"CONFIG", "RESETSTAT"});
    const auto mine = all.ticket("stock");
    ASSERT_EQ(all.acquire(mine, {.proposed_token = clock()}).status, op_status::granted);
    ASSERT_EQ(all.release(mine).status, op_status::released);
    ASSERT_EQ(all.acquire(all.ticket("stock"), {.proposed_token = clock() + 100}).status,
              op_status::granted);
    EXPECT_TRUE(server.command({"GET", "hf:mark"}).is_nil());
    // A name's first token is above the mark; a proposal need not be.
    server.command({"SET", "hf:mark", std::to_string(clock() + 20'000'000)});
    const auto proposed = clock();
    EXPECT_EQ(all.acquire(all.ticket("other"), {.proposed_token = proposed}).token, proposed);
}

TEST_F(redis_votes, cost_no_more_calls_than_another_grant) {
    seam_client all{server.url()};
    make_node(all);
    const auto vote = [&] {
        const auto mine = all.ticket("stock");
        const request terms{.proposed_token = clock(), .node_id = node_id};
        ASSERT_EQ(all.acquire(mine, terms).status, op_status::granted);
        ASSERT_EQ(all.release(mine).status, op_status::released);
    };
    vote(); // absent; below: idle
    server.command({"CONFIG", "RESETSTAT"});
    vote();
    EXPECT_EQ(server.calls_of("get"), 3) << "the record twice, the node once";
    EXPECT_EQ(server.calls_of("set"), 1);
    EXPECT_EQ(server.calls_of("setrange"), 1) << "the release's short path";
    EXPECT_EQ(server.calls_of("exists"), 0);
    EXPECT_EQ(server.calls_of("pexpire"), 0);
}

TEST_F(redis_votes, keep_their_record_for_a_minute_past_the_token) { // P3, P8
    seam_client all{server.url()};
    const auto mine = all.ticket("stock");
    ASSERT_EQ(all.acquire(mine, {.proposed_token = clock() + 29'000'000}).status,
              op_status::granted);
    ASSERT_EQ(all.release(mine).status, op_status::released);
    EXPECT_GT(life("hf:{stock}"), 130s);
    EXPECT_LT(life("hf:{stock}"), 145s);
    const auto long_one = all.ticket("long");
    ASSERT_EQ(all.acquire(long_one, {.lease = 10min, .proposed_token = clock()}).status,
              op_status::granted);
    EXPECT_GT(life("hf:{long}"), 11min);
    ASSERT_EQ(all.release(long_one).status, op_status::released);
    EXPECT_LT(life("hf:{long}"), 120s);
}

TEST_F(redis_votes, in_an_exchange_are_counted_too) {
    seam_client all{server.url()};
    make_node(all);
    const auto vote = [&](const engine::ticket& ticket) {
        return seam_client::acquire_op(ticket, {.proposed_token = clock(), .node_id = node_id});
    };
    for (int round = 0; round < 3; ++round) { // the first only loads the script
        const auto first = all.ticket("one");
        const auto next = all.ticket(round == 1 ? "one" : "two");
        ASSERT_EQ(all.ask(vote(first)).status, op_status::granted);
        const auto acquire = vote(next);
        const auto released = all.start(
            engine::release_op{.ticket = first, .awaited = false, .can_wait = true, .token = 7});
        const auto granted = all.ask(acquire);
        EXPECT_EQ(granted.status, op_status::granted) << round;
        EXPECT_EQ(granted.token, acquire.proposed_token);
        EXPECT_EQ(all.answer_to(released)->status, op_status::released) << round;
        EXPECT_EQ(all.release(next).status, op_status::released);
    }
}

// The hold would be gone, and its owner would not know.
TEST_F(redis_votes, are_not_given_while_an_earlier_withdrawal_may_arrive) { // P1
    seam_client all{between.url() + "?timeout=1000"};
    const auto mine = all.ticket("stock");
    ASSERT_EQ(all.acquire(mine).status, op_status::granted);
    between.hold_requests({.with = call_of(scripts::withdraw)});
    all.start(engine::withdraw_op{.ticket = mine, .asks_again = true});
    all.send();
    ASSERT_TRUE(eventually([&] { return between.counts().held == 1; }));
    between.cut();
    all.drive_for(50ms);
    const auto early = all.acquire(mine);
    EXPECT_EQ(early.status, op_status::failed);
    EXPECT_EQ(early.error, errc::unavailable) << early.detail;
    ASSERT_TRUE(eventually([&] {
        all.drive_for(20ms);
        return all.acquire(mine).status == op_status::granted;
    }));
    server.command({"CONFIG", "RESETSTAT"});
    between.release();
    ASSERT_TRUE(eventually([&] { return server.calls_of("evalsha") > 0; }));
    EXPECT_EQ(look().holders.size(), 1U) << "the late withdrawal took it away";
}

// P5: the withdrawal carries the not-after of the lost acquire.
TEST_F(redis_votes, that_were_asked_for_before_a_withdrawal_take_nothing_when_they_arrive) {
    seam_client all{between.url() + "?timeout=5000"};
    ASSERT_EQ(all.release(all.ticket("other")).status, op_status::not_held) << "it is connected";
    const auto mine = all.ticket("stock");
    between.hold_requests({.with = call_of(scripts::acquire)});
    all.start(seam_client::acquire_op(mine, {.proposed_token = clock()}));
    all.send();
    ASSERT_TRUE(eventually([&] { return between.counts().held == 1; }));
    between.cut();
    all.drive_for(50ms);
    ASSERT_EQ(all.withdraw_for_now(mine).status, op_status::not_held);
    server.command({"CONFIG", "RESETSTAT"});
    between.release();
    ASSERT_TRUE(eventually([&] { return server.calls_of("evalsha") > 0; }));
    EXPECT_FALSE(is_held()) << "by nobody, for a whole lease";
    EXPECT_EQ(all.acquire(mine, {.proposed_token = clock()}).status, op_status::granted);
}

// P5, P8: likewise.
TEST_F(redis_votes, that_were_reclaimed_before_a_withdrawal_are_not_made_again_when_they_arrive) {
    seam_client all{between.url() + "?timeout=5000"};
    ASSERT_EQ(all.release(all.ticket("other")).status, op_status::not_held) << "it is connected";
    const auto mine = all.ticket("stock");
    auto terms = seam_client::acquire_op(mine, {});
    terms.not_after = base::system_time().now() + 4s;
    engine::beat_op beat;
    beat.items.push_back({.ticket = mine,
                          .lease = 10s,
                          .order = 1,
                          .token = clock(),
                          .reclaim = std::make_shared<const engine::acquire_op>(terms)});
    between.hold_requests({.with = call_of(scripts::beat)});
    all.start(beat);
    all.send();
    ASSERT_TRUE(eventually([&] { return between.counts().held == 1; }));
    between.cut();
    all.drive_for(50ms);
    ASSERT_EQ(all.withdraw(mine).status, op_status::not_held);
    server.command({"CONFIG", "RESETSTAT"});
    between.release();
    ASSERT_TRUE(eventually([&] { return server.calls_of("evalsha") > 0; }));
    EXPECT_FALSE(is_held()) << "by nobody, for a whole lease";
}

TEST_F(redis_votes, a_listener_leaves_nothing_behind) { // P8
    seam_client all{server.url()};
    const auto held = all.ticket("stock");
    ASSERT_EQ(all.acquire(held).status, op_status::granted);
    const auto mine = all.ticket("stock");
    ASSERT_EQ(all.acquire(mine, {.queue = queueing::listen}).status, op_status::queued);
    EXPECT_GT(life("hf:{stock}:l"), 2s);
    EXPECT_LE(life("hf:{stock}:l"), 4s);
    ASSERT_EQ(all.release(held).status, op_status::released);
    ASSERT_TRUE(all.await(notice::kind::maybe_free, mine));
    EXPECT_EQ(keys(), (std::vector<std::string>{"hf:mark", "hf:{stock}"}));
    EXPECT_EQ(record().substr(0, 4), "hf2i");
}

TEST_F(redis_votes, a_release_publishes_once_per_listening_client) {
    seam_client holder{server.url()};
    seam_client other{server.url()};
    const auto held = holder.ticket("stock");
    ASSERT_EQ(holder.acquire(held).status, op_status::granted);
    for (int i = 0; i < 5; ++i) {
        ASSERT_EQ(other.acquire(other.ticket("stock"), {.queue = queueing::listen}).status,
                  op_status::queued);
    }
    server.command({"CONFIG", "RESETSTAT"});
    ASSERT_EQ(holder.release(held).status, op_status::released);
    EXPECT_EQ(server.calls_of("publish"), 1);
}

TEST_F(redis_votes, a_key_of_another_program_in_place_of_the_listeners_is_left_alone) {
    seam_client all{server.url()};
    ASSERT_EQ(all.acquire(all.ticket("stock")).status, op_status::granted);
    server.command({"SET", "hf:{stock}:l", "mine"});
    EXPECT_EQ(all.acquire(all.ticket("stock"), {.queue = queueing::listen}).error,
              errc::store_foreign);
    EXPECT_EQ(server.command({"GET", "hf:{stock}:l"}).string(), "mine");
}

} // namespace
} // namespace holdfast::test
