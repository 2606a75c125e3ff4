// The cluster topology over servers in memory: slots, redirections, nodes that fail.

#include "holdfast/engine/redis/protocol/wire_text.hpp"
#include "unit/redis_cluster_fixture.hpp"

namespace holdfast::test {
namespace {

using engine::op_status;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string error(const std::string& text) { return "-" + text + "\r\n"; }
std::string slot_of(const std::string& name) {
    return std::to_string(engine::redis::native_slot(name));
}
/// Replies with this once, then as usual.
std::function<std::string(const memory_server::words&)> once(const std::string& reply) {
    return [reply, first = true](const auto&) mutable {
        return std::exchange(first, false) ? reply : ":1700000000000001\r\n";
    };
}
std::function<std::string(const memory_server::words&)> always(const std::string& reply) {
    return [reply](const auto&) { return reply; };
}

TEST_F(redis_cluster, sends_each_operation_to_the_node_of_its_slot) {
    acquire(1, in_c);
    acquire(2, in_a);
    EXPECT_EQ(answer_to(1).status, op_status::granted);
    EXPECT_EQ(answer_to(2).status, op_status::granted);
    EXPECT_THAT(received("a:1"), ElementsAre("EVALSHA"));
    EXPECT_THAT(received("b:2"), IsEmpty());
    EXPECT_THAT(received("c:3"), ElementsAre("EVALSHA"));
}

TEST_F(redis_cluster, asks_its_seeds_in_turn_for_the_slots) {
    servers["a:1"].up = false;
    acquire(1, in_c);
    EXPECT_EQ(answer_to(1).status, op_status::granted) << answer_to(1).detail;
}

TEST_F(redis_cluster, says_why_no_node_knows_the_slots) {
    servers["a:1"].mode = "standalone";
    servers["b:2"].up = false;
    acquire(1, in_c);
    EXPECT_EQ(answer_to(1).status, op_status::failed);
    EXPECT_EQ(answer_to(1).error, errc::unsupported);
    EXPECT_THAT(answer_to(1).detail, HasSubstr("write redis://"));
}

TEST_F(redis_cluster, follows_moved_and_remembers_it) {
    servers["a:1"].on_script = always(error("MOVED " + slot_of(in_a) + " c:3"));
    acquire(1, in_a);
    EXPECT_EQ(answer_to(1).status, op_status::granted);
    acquire(2, in_a);
    EXPECT_EQ(answer_to(2).status, op_status::granted);
    EXPECT_EQ(received("a:1").size(), 1U) << "the second one goes to c:3 at once";
    EXPECT_EQ(received("c:3").size(), 2U);
}

TEST_F(redis_cluster, believes_moved_more_than_a_node_that_knows_only_the_former_slots) {
    add_server("d:4"); // CLUSTER SLOTS does not name it
    servers["a:1"].on_script = always(error("MOVED " + slot_of(in_a) + " d:4"));
    acquire(1, in_a);
    ASSERT_EQ(answer_to(1).status, op_status::granted) << answer_to(1).detail;
    advance(2s); // the slots are asked for again, also of others
    acquire(2, in_a);
    EXPECT_EQ(answer_to(2).status, op_status::granted) << answer_to(2).detail;
    EXPECT_EQ(received("a:1").size(), 1U);
    EXPECT_EQ(received("d:4").size(), 2U) << "its connection lasts";
    advance(20s);
    acquire(3, in_a);
    EXPECT_EQ(received("a:1").size(), 2U) << "after a while the nodes agree";
}

TEST_F(redis_cluster, does_not_send_locks_to_a_node_that_moved_named_before_it_failed) {
    servers["a:1"].on_script = once(error("MOVED " + slot_of(in_a) + " c:3"));
    acquire(1, in_a);
    ASSERT_EQ(answer_to(1).status, op_status::granted);
    servers["c:3"].up = false;
    acquire(2, in_a);
    advance(2s);
    acquire(3, in_a);
    advance(100ms);
    EXPECT_EQ(answer_to(3).status, op_status::granted) << "a:1 has the slot again";
}

TEST_F(redis_cluster, lets_holders_and_waiters_ask_at_once_when_locks_have_moved) {
    acquire(1, in_a);
    acquire(2, in_c);
    notices.clear();
    servers["a:1"].on_script = always(error("MOVED " + slot_of(in_a) + " c:3"));
    acquire(3, in_a);
    ASSERT_EQ(answer_to(3).status, op_status::granted);
    ASSERT_EQ(notices.size(), 1U) << "the clock of c:3 may differ from that of a:1";
    EXPECT_EQ(notices[0].type, engine::notice::kind::inbox_reset);
    slots_are({{0, 5460, "b:2"}, {5461, 10922, "b:2"}, {10923, 16383, "c:3"}});
    advance(12s);
    EXPECT_GE(notices.size(), 2U) << "all slots of a:1 have moved";
}

TEST_F(redis_cluster, reports_moved_without_an_address_as_worth_retrying) {
    servers["a:1"].on_script = always(error("MOVED " + slot_of(in_a) + " ?:7000"));
    acquire(1, in_a);
    EXPECT_EQ(answer_to(1).status, op_status::failed);
    EXPECT_EQ(answer_to(1).error, errc::unavailable);
    EXPECT_THAT(answer_to(1).detail, HasSubstr("try again"));
}

TEST_F(redis_cluster, connects_to_a_node_that_moved_names_for_the_first_time) {
    add_server("d:4");
    servers["a:1"].on_script = always(error("MOVED " + slot_of(in_a) + " d:4"));
    acquire(1, in_a);
    EXPECT_EQ(answer_to(1).status, op_status::granted) << answer_to(1).detail;
    EXPECT_EQ(received("d:4").size(), 1U);
}

TEST_F(redis_cluster, uses_no_ask_that_had_to_wait_for_a_connection) {
    servers["a:1"].on_script = once(error("ASK " + slot_of(in_a) + " b:2"));
    acquire(1, in_a);
    EXPECT_EQ(answer_to(1).status, op_status::granted);
    EXPECT_EQ(received("a:1").size(), 2U) << "the move may have been given up meanwhile";
    EXPECT_THAT(received("b:2"), IsEmpty());
}

TEST_F(redis_cluster, follows_ask_for_one_request_only) {
    acquire(9, in_b);
    servers["b:2"].commands.clear();
    servers["a:1"].on_script = once(error("ASK " + slot_of(in_a) + " b:2"));
    acquire(1, in_a);
    EXPECT_EQ(answer_to(1).status, op_status::granted);
    EXPECT_THAT(received("b:2"), ElementsAre("ASKING", "EVALSHA"));
    EXPECT_EQ(servers["b:2"].commands.back().back().front(), '!') << "the script knows of it";
    acquire(2, in_a);
    EXPECT_EQ(received("a:1").size(), 2U);
    EXPECT_NE(servers["a:1"].commands.back().back().front(), '!');
}

TEST_F(redis_cluster, ends_a_loop_of_redirections) {
    servers["a:1"].on_script = always(error("MOVED " + slot_of(in_a) + " b:2"));
    servers["b:2"].on_script = always(error("MOVED " + slot_of(in_a) + " a:1"));
    acquire(1, in_a);
    EXPECT_EQ(answer_to(1).status, op_status::failed);
    EXPECT_EQ(answer_to(1).error, errc::unavailable);
    EXPECT_LE(received("a:1").size() + received("b:2").size(), 6U);
}

TEST_F(redis_cluster, reports_errors_of_a_cluster_as_worth_retrying) {
    for (const auto* const text :
         {"TRYAGAIN Multiple keys request during rehashing of slot",
          "CLUSTERDOWN Hash slot not served",
          "ERR Script attempted to execute a command while the cluster is down script: x"}) {
        servers["a:1"].on_script = always(error(text));
        answers.clear();
        acquire(1, in_a);
        EXPECT_EQ(answer_to(1).status, op_status::failed) << text;
        EXPECT_TRUE(engine::worth_retrying(answer_to(1).error)) << text;
    }
}

TEST_F(redis_cluster, does_not_know_what_a_script_did_that_stopped_at_a_key_of_another_node) {
    servers["a:1"].on_script =
        always(error("ERR Script attempted to access a non local key in a cluster node script: x"));
    acquire(1, in_a);
    EXPECT_EQ(answer_to(1).status, op_status::unknown);
    EXPECT_EQ(answer_to(1).error, errc::unavailable);
}

TEST_F(redis_cluster, fails_for_a_slot_that_no_node_serves) {
    slots_are({{0, 5460, "a:1"}});
    acquire(1, in_b);
    advance(100ms);
    EXPECT_EQ(answer_to(1).status, op_status::failed);
    EXPECT_EQ(answer_to(1).error, errc::unavailable);
    EXPECT_THAT(answer_to(1).detail, HasSubstr("no node serves the slot"));
    acquire(2, in_a);
    EXPECT_EQ(answer_to(2).status, op_status::granted);
}

TEST_F(redis_cluster, finds_the_node_that_replaces_another) {
    acquire(1, in_a);
    servers["a:1"].up = false;
    add_server("d:4");
    settle();
    acquire(2, in_a);
    advance(100ms);
    EXPECT_EQ(answer_to(2).error, errc::unavailable);
    slots_are({{0, 5460, "d:4"}, {5461, 10922, "b:2"}, {10923, 16383, "c:3"}});
    notices.clear();
    advance(500ms);
    ASSERT_FALSE(notices.empty()) << "holds and waiters are looked after at once";
    acquire(3, in_a);
    EXPECT_EQ(answer_to(3).status, op_status::granted) << answer_to(3).detail;
    EXPECT_EQ(received("d:4").size(), 1U);
    EXPECT_EQ(notices[0].type, engine::notice::kind::inbox_reset);
}

TEST_F(redis_cluster, ends_what_is_in_flight_to_a_node_that_has_lost_its_slots) {
    acquire(1, in_a);
    servers["a:1"].silent = true;
    acquire(2, in_a);
    add_server("d:4");
    slots_are({{0, 5460, "d:4"}, {5461, 10922, "b:2"}, {10923, 16383, "c:3"}});
    servers["b:2"].on_script = once(error("MOVED " + slot_of(in_b) + " b:2"));
    acquire(3, in_b); // a reason to ask for the slots
    advance(1s);
    EXPECT_EQ(answer_to(2).status, op_status::unknown);
    EXPECT_THAT(answer_to(2).detail, HasSubstr("serves no slots"));
}

TEST_F(redis_cluster, returns_to_a_node_that_is_a_master_again) {
    acquire(1, in_a);
    slots_are({{0, 10922, "b:2"}, {10923, 16383, "c:3"}});
    servers["a:1"].on_script = once(error("MOVED " + slot_of(in_a) + " b:2"));
    acquire(2, in_a);
    advance(1s);
    slots_are({{0, 5460, "a:1"}, {5461, 10922, "b:2"}, {10923, 16383, "c:3"}});
    servers["b:2"].on_script = once(error("MOVED " + slot_of(in_a) + " a:1"));
    acquire(3, in_a);
    EXPECT_EQ(answer_to(3).status, op_status::granted) << answer_to(3).detail;
}

TEST_F(redis_cluster, rejects_a_node_that_is_a_replica) {
    servers["a:1"].role = "replica";
    acquire(1, in_a);
    EXPECT_EQ(answer_to(1).status, op_status::failed);
    EXPECT_EQ(answer_to(1).error, errc::unavailable);
    EXPECT_THAT(answer_to(1).detail, HasSubstr("is a replica"));
}

TEST_F(redis_cluster, uses_the_map_of_addresses) {
    slots_are({{0, 16383, "announced:9"}});
    make_engine("redis+cluster://a:1?map=announced:9=b:2");
    acquire(1, in_a);
    EXPECT_EQ(answer_to(1).status, op_status::granted) << answer_to(1).detail;
    EXPECT_EQ(received("b:2").size(), 1U);
}

TEST_F(redis_cluster, answers_no_operation_later_than_it_gives_up) {
    servers["a:1"].silent = servers["b:2"].silent = true;
    acquire(1, in_a);
    advance(2s);
    EXPECT_EQ(answer_to(1).status, op_status::failed);
    EXPECT_EQ(answer_to(1).error, errc::unavailable);
}

TEST_F(redis_cluster, does_not_redirect_an_acquire_behind_its_withdrawal) {
    acquire(1, in_a);
    servers["a:1"].silent = true;
    servers["a:1"].on_script = always(error("MOVED " + slot_of(in_a) + " c:3"));
    engine::acquire_op late;
    late.ticket = ticket(in_a);
    late.lease = 10s;
    submit(2, late);
    servers["b:2"].on_script = once(error("MOVED " + slot_of(in_a) + " c:3"));
    acquire(3, in_b); // by which the client learns that the slot has moved
    submit(4, engine::withdraw_op{late.ticket});
    EXPECT_EQ(received("c:3").size(), 1U) << "the withdrawal";
    servers["a:1"].silent = false;
    settle();
    EXPECT_EQ(answer_to(2).status, op_status::failed);
    EXPECT_EQ(received("c:3").size(), 1U);
}

TEST_F(redis_cluster, takes_no_message_for_a_grant_because_any_node_may_pass_it_on) {
    acquire(1, in_a);
    const auto inbox = "hf:inbox:" + engine::redis::hex_of(identity.client);
    servers["a:1"].on_script = always(redis_fake::push(inbox, "g00000000000000071700000000000001") +
                                      ":1700000000000001\r\n");
    acquire(2, in_a);
    ASSERT_EQ(notices.size(), 1U);
    EXPECT_EQ(notices[0].type, engine::notice::kind::maybe_free);
    EXPECT_EQ(notices[0].number, 7U);
}

TEST_F(redis_cluster, describes_itself) {
    submit(1, engine::diagnose_op{});
    ASSERT_TRUE(answer_to(1).report);
    EXPECT_THAT(answer_to(1).report->text, HasSubstr("a node of a cluster of 3 masters"));
    slots_are({{0, 9, "a:1"}});
    advance(11s);
    submit(2, engine::diagnose_op{});
    EXPECT_THAT(answer_to(2).report->text, HasSubstr("serve only 10 of its 16384 slots"));
}

TEST_F(redis_cluster, merges_a_release_and_an_acquire_only_within_a_slot) {
    acquire(1, in_a);
    const auto other = name_from(0, 5460, 1);
    for (const auto& name : {in_a, in_a, other}) { // the first one loads the script
        servers["a:1"].commands.clear();
        mine->submit(2, engine::release_op{ticket(in_a), true, true}, time.at + 2s);
        engine::acquire_op next;
        next.ticket = ticket(name);
        next.lease = 10s;
        mine->submit(3, next, time.at + 2s);
        advance(10ms);
    }
    EXPECT_EQ(received("a:1").size(), 2U) << "two slots";
}

} // namespace
} // namespace holdfast::test
