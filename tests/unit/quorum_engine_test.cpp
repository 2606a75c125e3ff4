// The quorum's tasks together, over nodes that answer as the test says.

#include "unit/quorum_engine_fixture.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using seam::op_status;
using quorum_engine = quorum_engine_fixture;

/// Of another client, whose numbers are the same as ours.
seam::ticket foreign_ticket(std::uint64_t number) {
    seam::ticket out{"job", {{}, number}};
    out.owner.client = base::client_id::make();
    return out;
}

TEST_F(quorum_engine,
       gives_back_the_votes_of_a_lost_hold_only_when_its_holder_knows) { // P1, P7, P8
    grant(1);
    beat(1);
    answer<seam::beat_op>(0, op_status::renewed);
    answer<seam::beat_op>(1, op_status::lost);
    answer<seam::beat_op>(2, op_status::lost);
    EXPECT_EQ(answers.back().beats.at(0).status, op_status::lost);
    EXPECT_EQ(answers.back().beats.at(0).error, make_error_code(errc::no_quorum))
        << "it must release";
    EXPECT_EQ(count<seam::release_op>(0), 0U) << "another could get it while it is still valid()";
    submit(seam::release_op{ticket(1)});
    for (unsigned node = 0; node < nodes; ++node) {
        const auto given_back = std::get<seam::release_op>(take<seam::release_op>(node).operation);
        EXPECT_EQ(given_back.ticket, ticket(1)) << "of node " << node;
    }
}

TEST_F(quorum_engine, one_node_that_knows_that_a_ticket_has_ended_is_enough) { // P7
    submit(acquire_of(1));
    answer<seam::acquire_op>(0, op_status::busy, true);
    answer<seam::acquire_op>(1, op_status::granted);
    answer<seam::acquire_op>(2, op_status::failed);
    ASSERT_FALSE(answers.empty());
    EXPECT_EQ(answers.back().status, op_status::busy) << "another owner may get both votes";
    EXPECT_TRUE(answers.back().ticket_ended);
    EXPECT_EQ(count<seam::withdraw_op>(0), 0U);
    const auto given_back = std::get<seam::withdraw_op>(take<seam::withdraw_op>(1).operation);
    EXPECT_FALSE(given_back.asks_again) << "the vote is given back for good";
}

// A grant that came too late to be used, of which nobody will release the vote on node 2.
TEST_F(quorum_engine, gives_back_the_votes_of_an_ended_ticket_on_nodes_that_are_down) { // P7
    grant(1);
    joins[2] = false;
    notice(2, seam::notice::kind::inbox_reset, 0);
    submit(acquire_of(1));
    answer<seam::acquire_op>(0, op_status::busy, true);
    answer<seam::acquire_op>(1, op_status::busy, true);
    EXPECT_TRUE(answers.back().ticket_ended);
    EXPECT_EQ(count<seam::withdraw_op>(2), 0U);
    advance(500ms);
    EXPECT_EQ(count<seam::withdraw_op>(2), 1U) << "a debt";
}

TEST_F(quorum_engine, gives_back_the_vote_of_a_node_that_has_not_answered_the_renewal) { // P7
    grant(1);
    beat(1);
    answer<seam::beat_op>(1, op_status::lost);
    answer<seam::beat_op>(2, op_status::lost);
    EXPECT_EQ(count<seam::beat_op>(0), 1U); // still in flight: the release follows it
    submit(seam::release_op{ticket(1)});
    answer<seam::release_op>(0, op_status::unknown);
    EXPECT_EQ(count<seam::release_op>(0), 0U);
    advance(500ms);
    EXPECT_EQ(count<seam::release_op>(0), 1U) << "a debt";
    answer<seam::beat_op>(0, op_status::renewed);
    EXPECT_EQ(count<seam::beat_op>(1), 0U) << "nothing is reclaimed";
}

TEST_F(quorum_engine, a_lost_renewal_of_another_clients_hold_leaves_ours) { // P1, P4
    grant(1);
    seam::beat_op operation;
    operation.items.push_back({.ticket = foreign_ticket(1), .lease = lease, .order = 1});
    submit(operation);
    for (unsigned node = 0; node < nodes; ++node) { answer<seam::beat_op>(node, op_status::lost); }
    EXPECT_EQ(answers.back().beats.at(0).status, op_status::lost);
    for (unsigned node = 0; node < nodes; ++node) { EXPECT_EQ(count<seam::release_op>(node), 0U); }
    submit(seam::release_op{ticket(1)});
    EXPECT_EQ(count<seam::release_op>(0), 1U);
}

TEST_F(quorum_engine, a_release_of_another_clients_hold_leaves_ours) { // P4
    grant(1);
    submit(seam::release_op{foreign_ticket(1)});
    for (unsigned node = 0; node < nodes; ++node) {
        answer<seam::release_op>(node, op_status::not_held);
    }
    beat(1);
    answer<seam::beat_op>(0, op_status::renewed);
    answer<seam::beat_op>(1, op_status::renewed);
    answer<seam::beat_op>(2, op_status::lost);
    EXPECT_EQ(count<seam::beat_op>(2), 1U) << "our vote there is made again";
}

TEST_F(quorum_engine, a_withdrawal_that_was_lost_spares_the_vote_that_its_ticket_got_later) { // P1
    submit(acquire_of(1));
    answer<seam::acquire_op>(2, op_status::granted);
    answer<seam::acquire_op>(0, op_status::queued);
    answer<seam::acquire_op>(1, op_status::queued);
    EXPECT_EQ(answers.back().status, op_status::queued);
    const auto lost = take<seam::withdraw_op>(2);
    EXPECT_TRUE(std::get<seam::withdraw_op>(lost.operation).asks_again);
    grant(1);
    answer_unknown(2, lost.id);
    advance(2s);
    EXPECT_EQ(count<seam::withdraw_op>(2), 0U) << "it would delete a live vote";
    submit(seam::release_op{ticket(1)});
    EXPECT_EQ(count<seam::release_op>(2), 1U);
}

TEST_F(quorum_engine, a_withdrawal_that_was_lost_spares_the_vote_that_its_ticket_asks_for) { // P1
    submit(acquire_of(1));
    answer<seam::acquire_op>(2, op_status::granted);
    answer<seam::acquire_op>(0, op_status::queued);
    answer<seam::acquire_op>(1, op_status::queued);
    const auto lost = take<seam::withdraw_op>(2);
    submit(acquire_of(1));
    answer_unknown(2, lost.id);
    advance(2s);
    EXPECT_EQ(count<seam::withdraw_op>(2), 0U);
}

TEST_F(quorum_engine, a_withdrawal_that_was_lost_is_sent_again) { // P8
    submit(acquire_of(1));
    answer<seam::acquire_op>(2, op_status::granted);
    answer<seam::acquire_op>(0, op_status::queued);
    answer<seam::acquire_op>(1, op_status::queued);
    answer<seam::withdraw_op>(2, op_status::unknown);
    advance(499ms);
    EXPECT_EQ(count<seam::withdraw_op>(2), 0U);
    advance(1ms);
    EXPECT_EQ(count<seam::withdraw_op>(2), 1U);
}

TEST_F(quorum_engine, the_debt_of_a_release_leaves_min_hold_in_force) {
    grant(1);
    submit(seam::release_op{.ticket = ticket(1), .awaited = false, .token = 1});
    answer<seam::release_op>(0, op_status::released);
    answer<seam::release_op>(1, op_status::released);
    answer<seam::release_op>(2, op_status::unknown);
    advance(500ms);
    EXPECT_EQ(count<seam::withdraw_op>(2), 0U) << "it would end min_hold";
    const auto debt = std::get<seam::release_op>(take<seam::release_op>(2).operation);
    EXPECT_EQ(debt.token, 1U);
    EXPECT_TRUE(debt.awaited);
}

TEST_F(quorum_engine, a_vote_that_was_never_confirmed_is_withdrawn) { // P5
    submit(acquire_of(1));
    answer<seam::acquire_op>(0, op_status::granted);
    answer<seam::acquire_op>(1, op_status::granted);
    submit(seam::release_op{ticket(1)});
    EXPECT_EQ(count<seam::release_op>(2), 0U) << "it would not stop the acquire in flight";
    const auto withdrawal = std::get<seam::withdraw_op>(take<seam::withdraw_op>(2).operation);
    EXPECT_FALSE(withdrawal.asks_again);
}

TEST_F(quorum_engine, a_join_that_failed_is_not_repeated_without_a_pause) { // P9
    joins[2] = false;
    submit(acquire_of(1, seam::queueing::no));
    EXPECT_EQ(join_count[2], 1U);
    for (int tries = 0; tries < 5; ++tries) {
        answer<seam::acquire_op>(0, op_status::busy);
        answer<seam::acquire_op>(1, op_status::busy);
        submit(acquire_of(2, seam::queueing::no));
    }
    EXPECT_EQ(join_count[2], 1U);
    advance(100ms);
    submit(acquire_of(3, seam::queueing::no));
    EXPECT_EQ(join_count[2], 2U);
}

TEST_F(quorum_engine, an_acquire_asks_each_node_that_cannot_join_once) { // P9
    joins = {false, false, false};
    submit(acquire_of(1, seam::queueing::no));
    EXPECT_EQ(answers.back().error, errc::no_quorum);
    for (unsigned node = 0; node < nodes; ++node) { EXPECT_EQ(join_count[node], 1U); }
}

TEST_F(quorum_engine, one_nodes_word_does_not_end_a_hold) { // P2
    grant(1);
    notice(0, seam::notice::kind::broken, 1);
    ASSERT_EQ(notices.size(), 1U);
    EXPECT_EQ(notices[0].type, seam::notice::kind::doubtful);
    notice(0, seam::notice::kind::broken, 1);
    EXPECT_EQ(notices.back().type, seam::notice::kind::doubtful) << "it is the same node";
}

TEST_F(quorum_engine, a_hold_that_is_not_renewed_learns_from_a_majority_that_it_was_broken) { // P2
    grant(1);
    notice(0, seam::notice::kind::broken, 1);
    notice(2, seam::notice::kind::broken, 1);
    ASSERT_EQ(notices.size(), 2U);
    EXPECT_EQ(notices[1].type, seam::notice::kind::broken);
    EXPECT_EQ(notices[1].number, 1U);
    EXPECT_EQ(count<seam::release_op>(1), 1U) << "the vote that is left is given back";
}

TEST_F(quorum_engine, a_node_that_has_renewed_has_not_broken_the_hold) {
    grant(1);
    notice(0, seam::notice::kind::broken, 1);
    beat(1);
    for (unsigned node = 0; node < nodes; ++node) {
        answer<seam::beat_op>(node, op_status::renewed);
    }
    notice(2, seam::notice::kind::broken, 1);
    EXPECT_EQ(notices.back().type, seam::notice::kind::doubtful);
}

TEST_F(quorum_engine, a_waiter_keeps_no_place_and_asks_again_when_the_caller_wants) {
    auto asked = acquire_of(1);
    asked.voting.retry_min = 3s;
    asked.voting.retry_max = 4s;
    submit(asked);
    answer<seam::acquire_op>(0, op_status::queued);
    answer<seam::acquire_op>(1, op_status::queued);
    EXPECT_EQ(answers.back().status, op_status::queued);
    EXPECT_TRUE(answers.back().no_place);
    EXPECT_GE(answers.back().check_in, 3s);
    EXPECT_LE(answers.back().check_in, 4s);
}

} // namespace
} // namespace holdfast::test
