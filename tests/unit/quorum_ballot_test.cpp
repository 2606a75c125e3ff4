// The ballot of a quorum: each state with each vote.
#include "holdfast/engine/quorum/ballot.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace {

using namespace holdfast::engine::quorum;

/// Votes by letter, y: yes, l: low, n: no, d: down, u: unknown, s: skipped, .: open.
ballot with_votes(std::string_view votes, std::uint64_t proposal = 100) {
    ballot out{static_cast<unsigned>(votes.size()), proposal};
    for (unsigned node = 0; node < votes.size(); ++node) {
        if (votes[node] != 's') { out.on_sent(node); }
        switch (votes[node]) {
        case 'y': out.on_yes(node, 1, proposal); break;
        case 'l': out.on_low(node, 1, proposal + 10 + node); break;
        case 'n': out.on_refused(node, 1, vote::no); break;
        case 'd': out.on_refused(node, 1, vote::down); break;
        case 'u': out.on_unknown(node, 1); break;
        case 's': out.on_skipped(node); break;
        default: break;
        }
    }
    return out;
}

verdict of(std::string_view votes) { return with_votes(votes).verdict(); }

TEST(ballot, is_granted_by_a_majority_without_the_other_answers) {
    EXPECT_EQ(of("yyy.."), verdict::granted);
    EXPECT_EQ(of("yynny"), verdict::granted);
    EXPECT_EQ(of("yyyuu"), verdict::granted);
    EXPECT_EQ(of("y"), verdict::granted);
    EXPECT_EQ(of("yyy."), verdict::granted); // three of four
}

TEST(ballot, of_four_nodes_needs_three) {
    EXPECT_EQ(of("yy.."), verdict::undecided);
    EXPECT_EQ(of("yynn"), verdict::busy);
    EXPECT_EQ(of("yy.n"), verdict::undecided);
}

TEST(ballot, is_undecided_while_a_majority_is_possible_in_this_round) {
    EXPECT_EQ(of("....."), verdict::undecided);
    EXPECT_EQ(of("nn..."), verdict::undecided);
    EXPECT_EQ(of("ll..."), verdict::undecided);
    EXPECT_EQ(of("yyud."), verdict::undecided);
}

TEST(ballot, fails_early_when_a_majority_is_impossible) {
    EXPECT_EQ(of("nnn.."), verdict::busy);
    EXPECT_EQ(of("ddd.."), verdict::no_quorum);
    EXPECT_EQ(of("uuu.."), verdict::no_quorum);
    EXPECT_EQ(of("n"), verdict::busy);
}

TEST(ballot, waits_for_the_answers_that_decide_whether_it_is_busy) {
    EXPECT_EQ(of("dd..n"), verdict::undecided);
    EXPECT_EQ(of("dd.nn"), verdict::undecided);
    EXPECT_EQ(of("ddy.n"), verdict::no_quorum); // two say no at most
    EXPECT_EQ(of("ddynn"), verdict::no_quorum);
    EXPECT_EQ(of("ddnnn"), verdict::busy);
}

TEST(ballot, is_busy_only_if_the_silent_nodes_could_not_have_changed_it) {
    EXPECT_EQ(of("nnndd"), verdict::busy);
    EXPECT_EQ(of("nnyyu"), verdict::no_quorum); // one more vote would have been a majority
    EXPECT_EQ(of("nnuuy"), verdict::no_quorum);
    EXPECT_EQ(of("yyssd"), verdict::no_quorum);
    EXPECT_EQ(of("nnnyy"), verdict::busy);
}

TEST(ballot, proposes_again_above_the_highest_token_that_a_node_has_named) {
    auto low = with_votes("yylln");
    ASSERT_EQ(low.verdict(), verdict::propose);
    low.begin_round(50);
    EXPECT_EQ(low.round(), 2U);
    EXPECT_EQ(low.proposal(), 114U); // node 3 has named 113
    EXPECT_EQ(low.of(0), vote::open);
    EXPECT_EQ(low.of(2), vote::open);
    EXPECT_EQ(low.of(4), vote::no);
}

TEST(ballot, takes_the_callers_next_proposal_if_that_is_higher) {
    auto low = with_votes("lll");
    low.begin_round(1000);
    EXPECT_EQ(low.proposal(), 1000U);
}

TEST(ballot, does_not_count_a_yes_to_an_earlier_proposal) {
    auto again = with_votes("lll..");
    again.begin_round(200);
    again.on_yes(3, 1, 100);
    EXPECT_EQ(again.of(3), vote::open);
    EXPECT_TRUE(again.may_hold(3));
}

TEST(ballot, does_not_count_a_yes_with_a_lower_token_than_proposed) {
    ballot raised{1, 100};
    raised.on_sent(0);
    raised.on_yes(0, 1, 99); // an engine that did not raise it
    EXPECT_EQ(raised.verdict(), verdict::propose);
}

TEST(ballot, does_not_count_an_earlier_vote_with_a_higher_token) { // P3
    ballot later{3, 100};
    for (unsigned node = 0; node < 3; ++node) { later.on_sent(node); }
    later.on_yes(0, 1, 100);
    later.on_yes(1, 1, 120); // the ticket's own, of a ballot that it lost
    EXPECT_EQ(later.verdict(), verdict::undecided);
    later.on_refused(2, 1, vote::down);
    ASSERT_EQ(later.verdict(), verdict::propose);
    later.begin_round(0);
    EXPECT_EQ(later.proposal(), 121U);
}

TEST(ballot, counts_any_token_if_it_proposes_none) {
    ballot readers{1, 0};
    readers.on_sent(0);
    readers.on_yes(0, 1, 120);
    EXPECT_EQ(readers.verdict(), verdict::granted);
    EXPECT_EQ(readers.highest(), 120U);
}

TEST(ballot, may_hold_a_vote_that_was_never_taken_back) {
    ballot again{1, 100};
    again.on_earlier_vote(0);
    again.on_sent(0);
    again.on_refused(0, 1, vote::down);
    EXPECT_TRUE(again.may_hold(0));
}

TEST(ballot, gives_up_after_three_rounds_of_higher_tokens) {
    auto low = with_votes("lll");
    for (unsigned round = 2; round <= ballot::max_rounds; ++round) {
        ASSERT_EQ(low.verdict(), verdict::propose);
        low.begin_round(0);
        for (unsigned node = 0; node < 3; ++node) {
            low.on_sent(node);
            low.on_low(node, round, 1000 * round);
        }
    }
    EXPECT_EQ(low.verdict(), verdict::busy);
}

TEST(ballot, may_hold_a_vote_wherever_a_request_was_not_refused) {
    const auto mixed = with_votes("ylndus.");
    EXPECT_TRUE(mixed.may_hold(0));
    EXPECT_FALSE(mixed.may_hold(1));
    EXPECT_FALSE(mixed.may_hold(2));
    EXPECT_FALSE(mixed.may_hold(3));
    EXPECT_TRUE(mixed.may_hold(4));
    EXPECT_FALSE(mixed.may_hold(5));
    EXPECT_TRUE(mixed.may_hold(6));
}

TEST(ballot, still_may_hold_an_earlier_vote_that_a_later_round_was_refused) {
    auto again = with_votes("yll");
    again.begin_round(0);
    again.on_sent(0);
    again.on_refused(0, 2, vote::down);
    EXPECT_TRUE(again.may_hold(0));
}

} // namespace
