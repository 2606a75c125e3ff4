// How a quorum counts renewals and releases.
#include "holdfast/engine/quorum/tally.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace {

using namespace holdfast::engine;
using namespace holdfast::engine::quorum;

/// r: renewed, l: lost, c: reclaimed, u: unknown, .: no answer yet.
op_status renewal(std::string_view answers) {
    renewal_tally tally{static_cast<unsigned>(answers.size())};
    for (unsigned node = 0; node < answers.size(); ++node) {
        switch (answers[node]) {
        case 'r': tally.add(node, op_status::renewed); break;
        case 'l': tally.add(node, op_status::lost); break;
        case 'c': tally.add(node, op_status::reclaimed); break;
        case 'u': tally.add(node, op_status::unknown); break;
        default: break;
        }
    }
    return tally.decided() ? tally.verdict() : op_status::queued;
}

TEST(renewal_tally, counts_by_majority) {
    EXPECT_EQ(renewal("rrr.."), op_status::renewed);
    EXPECT_EQ(renewal("rrrll"), op_status::renewed);
    EXPECT_EQ(renewal("rr..."), op_status::queued);
}

TEST(renewal_tally, is_lost_only_if_no_majority_can_have_it) {
    EXPECT_EQ(renewal("lll.."), op_status::lost);
    EXPECT_EQ(renewal("ll..."), op_status::queued);
    EXPECT_EQ(renewal("llrru"), op_status::unknown);
    EXPECT_EQ(renewal("ll.."), op_status::lost); // of four: two others are no majority
}

TEST(renewal_tally, is_unknown_if_silent_nodes_decide) {
    EXPECT_EQ(renewal("rruuu"), op_status::unknown);
    EXPECT_EQ(renewal("uuuuu"), op_status::unknown);
}

TEST(renewal_tally, does_not_count_a_reclaimed_vote) {
    EXPECT_EQ(renewal("rrccu"), op_status::unknown);
    EXPECT_EQ(renewal("ccc.."), op_status::lost);
}

/// r: released, h: handed off, n: not held, u: unknown, .: no answer yet, -: not asked.
op_status release(std::string_view answers) {
    node_set asked;
    for (unsigned node = 0; node < answers.size(); ++node) {
        if (answers[node] != '-') { asked.add(node); }
    }
    release_tally tally{static_cast<unsigned>(answers.size()), asked};
    for (unsigned node = 0; node < answers.size(); ++node) {
        switch (answers[node]) {
        case 'r': tally.add(node, op_status::released); break;
        case 'h': tally.add(node, op_status::handed_off); break;
        case 'n': tally.add(node, op_status::not_held); break;
        case 'u': tally.add(node, op_status::unknown); break;
        default: break;
        }
    }
    return tally.decided() ? tally.verdict() : op_status::queued;
}

TEST(release_tally, is_done_when_a_majority_has_released) {
    EXPECT_EQ(release("rrr.."), op_status::released);
    EXPECT_EQ(release("rr..."), op_status::queued);
    EXPECT_EQ(release("hrruu"), op_status::released);
    EXPECT_EQ(release("r..--"), op_status::queued);
    EXPECT_EQ(release("rrr--"), op_status::released);
}

TEST(release_tally, is_done_when_others_can_reach_a_majority_without_the_silent_nodes) {
    EXPECT_EQ(release("rruu-"), op_status::released);
    EXPECT_EQ(release("rru--"), op_status::released);
    EXPECT_EQ(release("rru.-"), op_status::queued);
}

TEST(release_tally, is_unknown_if_too_many_nodes_are_silent) {
    EXPECT_EQ(release("rruuu"), op_status::unknown);
    EXPECT_EQ(release("uuuuu"), op_status::unknown);
}

TEST(release_tally, says_not_held_when_no_majority_can_have_had_it) {
    EXPECT_EQ(release("nnn.."), op_status::not_held);
    EXPECT_EQ(release("nn..."), op_status::queued);
    EXPECT_EQ(release("nnnuu"), op_status::not_held);
    EXPECT_EQ(release("nnnnr"), op_status::not_held);
    EXPECT_EQ(release("-----"), op_status::not_held);
}

} // namespace
