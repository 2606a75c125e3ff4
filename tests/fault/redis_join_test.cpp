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

TEST_F(redis_join, a_server_looks_new_if_it_was_up_for_long_and_never_joined) {
    const auto young = here.ask(engine::join_op{max_lease}).report;
    ASSERT_NE(young, nullptr);
    EXPECT_EQ(young->node_id, 0U);
    EXPECT_FALSE(young->looks_new) << "it may have been restarted";
    redis_server other{{.adjustable_clock = true}};
    other.set_clock(3600s); // its uptime is by its wall clock
    seam_client there{other.url()};
    const auto old = there.ask(engine::join_op{max_lease}).report;
    ASSERT_NE(old, nullptr);
    EXPECT_TRUE(old->looks_new);
    const auto again = there.ask(engine::join_op{max_lease}).report;
    ASSERT_NE(again, nullptr);
    EXPECT_FALSE(again->looks_new) << "a client has used it";
}

TEST_F(redis_join, a_new_quorum_votes_at_once) {
    const auto joined = here.ask(engine::join_op{max_lease, engine::join_mode::vote_now}).report;
    ASSERT_NE(joined, nullptr);
    EXPECT_EQ(joined->votes_in, 0s);
    const request vote{.node_id = joined->node_id};
    EXPECT_EQ(here.acquire(here.ticket("stock"), vote).status, op_status::granted);
    const auto later = here.ask(engine::join_op{max_lease, engine::join_mode::vote_later}).report;
    ASSERT_NE(later, nullptr);
    EXPECT_EQ(later->node_id, joined->node_id) << "it is a node already";
}

TEST_F(redis_join, a_server_that_has_lost_its_data_votes_late_and_is_another_node) {
    const auto id =
        here.ask(engine::join_op{max_lease, engine::join_mode::vote_now}).report->node_id;
    server.flush_all();
    EXPECT_EQ(here.acquire(here.ticket("stock"), {.node_id = id}).status, op_status::not_joined);
    const auto look = here.ask(engine::join_op{max_lease}).report;
    ASSERT_NE(look, nullptr);
    EXPECT_EQ(look->node_id, 0U);
    EXPECT_FALSE(look->looks_new);
    const auto again = here.join(max_lease);
    ASSERT_NE(again.report, nullptr) << again.detail;
    EXPECT_NE(again.report->node_id, id);
    EXPECT_GT(again.report->votes_in, delay - 5s);
}

TEST_F(redis_join, a_vote_needs_a_join_on_the_same_connection) { // P1: it may have been restarted
    const auto id =
        here.ask(engine::join_op{max_lease, engine::join_mode::vote_now}).report->node_id;
    seam_client other{server.url()};
    EXPECT_EQ(other.acquire(other.ticket("stock"), {.node_id = id}).status, op_status::not_joined);
    EXPECT_EQ(other.join(max_lease).report->node_id, id);
    EXPECT_EQ(other.acquire(other.ticket("stock"), {.node_id = id}).status, op_status::granted);
}

TEST_F(redis_join, a_server_restarted_with_its_data_votes_late) { // the data may be old
    const auto node =
        here.ask(engine::join_op{max_lease, engine::join_mode::vote_now}).report->node_id;
    const auto key = server.command({"GET", "hf:node"}).string();
    server.restart();
    server.command({"SET", "hf:node", key}); // as if it had read it from its disk
    std::shared_ptr<const engine::report> again;
    ASSERT_TRUE(eventually([&] { return (again = here.join(max_lease).report) != nullptr; }));
    EXPECT_NE(again->node_id, node);
    EXPECT_GT(again->votes_in, delay - 5s);
}

TEST_F(redis_join, a_server_restarted_with_its_data_refuses_another_max_lease) { // P1
    (void)here.ask(engine::join_op{max_lease, engine::join_mode::vote_now});
    const auto key = server.command({"GET", "hf:node"}).string();
    server.restart();
    server.command({"SET", "hf:node", key}); // as if it had read it from its disk
    engine::answer other;
    ASSERT_TRUE(eventually([&] {
        other = here.join(30s);
        return other.error != errc::unavailable && other.status != op_status::unknown;
    }));
    EXPECT_EQ(other.error, errc::invalid_option) << "leases of 60 s may live that it has forgotten";
    EXPECT_EQ(server.command({"GET", "hf:node"}).string(), key);
}

TEST_F(redis_join, a_join_that_arrives_late_does_not_make_a_new_node_vote_at_once) { // P1
    engine::join_op late{max_lease, engine::join_mode::vote_now};
    late.not_after = base::system_time().now() - 10ms;
    const auto joined = here.ask(late).report;
    ASSERT_NE(joined, nullptr);
    EXPECT_GT(joined->votes_in, delay - 5s);
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
    EXPECT_EQ(here.join(-1s).error, errc::invalid_option);
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
