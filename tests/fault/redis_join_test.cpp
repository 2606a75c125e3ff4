// A server becomes a node of a quorum: when it may vote, and what it refuses.

#include "fault/redis_fixture.hpp"

namespace holdfast::test {
namespace {

using engine::op_status;
using testing::HasSubstr;

class redis_join : public testing::Test {
protected:
    /// What a new server, or one that may have lost its data, waits for: see rejoin_delay.
    static constexpr milliseconds max_lease = 60s;
    static constexpr milliseconds delay = 63'200ms;

    redis_server server{{.adjustable_clock = true}};
    seam_client here{server.url()};
};

TEST_F(redis_join, a_server_that_was_just_started_votes_after_all_leases_it_may_have_forgotten) {
    const auto joined = here.join(max_lease);
    ASSERT_NE(joined.report, nullptr) << joined.detail;
    EXPECT_GT(joined.report->votes_in, delay - 5s);
    EXPECT_LE(joined.report->votes_in, delay);
    const request vote{.node_id = joined.report->node_id};
    EXPECT_EQ(here.acquire(here.ticket("stock"), vote).status, op_status::not_joined);
    EXPECT_EQ(server.command({"PTTL", "hf:node"}).number(), -1) << "the key never expires";
}

TEST_F(redis_join, a_server_that_was_up_for_long_and_never_joined_votes_at_once) {
    server.set_clock(3600s); // its uptime is by its wall clock
    const auto joined = here.join(max_lease);
    ASSERT_NE(joined.report, nullptr) << joined.detail;
    EXPECT_EQ(joined.report->votes_in, 0s);
    const request vote{.node_id = joined.report->node_id};
    EXPECT_EQ(here.acquire(here.ticket("stock"), vote).status, op_status::granted);
}

TEST_F(redis_join, a_server_that_has_lost_its_data_votes_late_and_is_another_node) {
    server.set_clock(3600s);
    const auto id = here.join(max_lease).report->node_id;
    server.flush_all();
    EXPECT_EQ(here.acquire(here.ticket("stock"), {.node_id = id}).status, op_status::not_joined);
    for (int i = 0; i < 2; ++i) { // another client may be about to write the key
        const auto early = here.join(max_lease);
        EXPECT_EQ(early.error, errc::unavailable);
        EXPECT_TRUE(early.retry_now);
        EXPECT_THAT(early.detail, HasSubstr("another client is joining"));
    }
    here.drive_for(110ms);
    const auto again = here.join(max_lease);
    ASSERT_NE(again.report, nullptr) << again.detail;
    EXPECT_NE(again.report->node_id, id);
    EXPECT_GT(again.report->votes_in, delay - 5s);
}

TEST_F(redis_join, two_clients_that_join_a_new_server_at_once_both_may_vote) {
    server.set_clock(3600s);
    seam_client other{server.url()};
    (void)other.release(other.ticket("connected"));
    (void)here.release(here.ticket("connected"));
    const auto first = here.start(engine::join_op{max_lease});
    const auto second = other.start(engine::join_op{max_lease});
    here.send();
    other.send();
    const auto until_answered = [](seam_client& client, engine::op_id id) {
        return eventually([&] {
            client.drive_for(1ms);
            return client.answer_to(id).has_value();
        });
    };
    ASSERT_TRUE(until_answered(here, first) && until_answered(other, second));
    const auto one = here.answer_to(first)->report;
    ASSERT_NE(one, nullptr);
    EXPECT_EQ(one->votes_in, 0s);
    const auto two = other.join(max_lease).report;
    ASSERT_NE(two, nullptr);
    EXPECT_EQ(two->node_id, one->node_id);
    EXPECT_EQ(two->votes_in, 0s);
}

TEST_F(redis_join, a_restarted_server_votes_late) {
    const auto id = here.join(max_lease).report->node_id;
    server.restart();
    std::shared_ptr<const engine::report> again;
    ASSERT_TRUE(eventually([&] { return (again = here.join(max_lease).report) != nullptr; }));
    EXPECT_NE(again->node_id, id);
    EXPECT_GT(again->votes_in, delay - 5s);
}

TEST_F(redis_join, a_clock_that_was_stepped_back_does_not_keep_a_node_from_voting_for_long) { // P7
    server.set_clock(7200s);
    const auto id = here.join(max_lease).report->node_id;
    // The first one fails: the client learns by it that the clock was changed.
    const auto vote = [&] {
        const auto ticket = here.ticket("stock");
        (void)here.acquire(ticket, {.node_id = id});
        return here.acquire(ticket, {.node_id = id}).status;
    };
    server.set_clock(0s);
    EXPECT_EQ(vote(), op_status::not_joined);
    const auto again = here.join(max_lease).report;
    ASSERT_NE(again, nullptr);
    EXPECT_EQ(again->node_id, id);
    EXPECT_LE(again->votes_in, delay);
    server.set_clock(std::chrono::duration_cast<std::chrono::seconds>(delay) + 1s);
    EXPECT_EQ(vote(), op_status::granted);
}

TEST_F(redis_join, all_clients_need_the_same_max_lease) {
    ASSERT_NE(here.join(max_lease).report, nullptr);
    const auto other = here.join(30s);
    EXPECT_EQ(other.status, op_status::failed);
    EXPECT_EQ(other.error, errc::invalid_option);
    EXPECT_THAT(other.detail, HasSubstr("max_lease is 60 s on Redis at 127.0.0.1:"));
    EXPECT_THAT(other.detail, HasSubstr(", and 30 s here: all clients of a quorum need the same"));
    EXPECT_EQ(here.join(0s).error, errc::invalid_option);
}

TEST_F(redis_join, a_key_of_another_program_is_left_alone) {
    server.command({"SET", "hf:node", "mine"});
    EXPECT_EQ(here.join(max_lease).error, errc::store_foreign);
    EXPECT_EQ(server.command({"GET", "hf:node"}).string(), "mine");
}

TEST_F(redis_join, says_which_permission_is_missing) {
    for (const std::string rule : {"info", "script|exists"}) {
        server.command(
            {"ACL", "SETUSER", "locks", "reset", "on", ">pass", "~*", "&*", "+@all", "-" + rule});
        seam_client user{"redis://locks:pass@127.0.0.1:" + std::to_string(server.port())};
        const auto refused = user.join(max_lease);
        EXPECT_EQ(refused.error, errc::store_forbidden) << rule;
        EXPECT_THAT(refused.detail, HasSubstr("add +" + rule)) << rule;
    }
}

TEST_F(redis_join, in_a_layout_that_others_share_writes_no_key) {
    for (const std::string layout : {"plain", "redisson"}) {
        seam_client shared{server.url() + "?layout=" + layout};
        const auto joined = shared.join(max_lease);
        ASSERT_NE(joined.report, nullptr) << joined.detail;
        EXPECT_NE(joined.report->node_id, 0U);
        EXPECT_EQ(joined.report->votes_in, 0s);
    }
    EXPECT_EQ(server.command({"DBSIZE"}).number(), 0);
}

} // namespace
} // namespace holdfast::test
