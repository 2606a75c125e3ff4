// Which nodes of a quorum may be asked for a vote.
#include "holdfast/engine/quorum/membership.hpp"

#include <holdfast/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// compiled alone: other files of the folder have helpers of the same names

namespace {

using namespace std::chrono_literals;
using namespace holdfast;
using namespace holdfast::engine;
using engine::quorum::membership;
using readiness = membership::readiness;
using testing::HasSubstr;

base::instant at(base::duration time) { return base::instant{1h} + time; }

answer joined_as(std::uint64_t id, base::duration votes_in = 0s) {
    answer out;
    out.status = op_status::reported;
    auto found = std::make_shared<report>();
    found->node_id = id;
    found->votes_in = votes_in;
    out.report = std::move(found);
    return out;
}
answer nameless(bool looks_new) {
    answer out;
    out.status = op_status::reported;
    auto found = std::make_shared<report>();
    found->looks_new = looks_new;
    out.report = std::move(found);
    return out;
}
answer unreachable() {
    answer out;
    out.status = op_status::failed;
    out.error = make_error_code(errc::unavailable);
    out.detail = "connection refused";
    return out;
}

struct quorum_membership : testing::Test {
    /// Sends the joins that are due, and returns the mode of that to `node`.
    std::optional<join_mode> join(unsigned node, base::instant now = at(0s)) {
        const auto request = nodes.next_join(node, now);
        return request ? std::optional{request->mode} : std::nullopt;
    }
    void join_all() {
        for (unsigned node = 0; node < 3; ++node) {
            EXPECT_EQ(join(node), join_mode::look);
            nodes.on_join_answer(node, joined_as(10 + node), at(0s));
        }
    }

    membership nodes{{"a", "b", "c"}, 60s};
};

TEST_F(quorum_membership, a_node_joins_before_it_votes) {
    EXPECT_EQ(nodes.check(0, at(0s)), readiness::joining);
    EXPECT_EQ(join(0), join_mode::look);
    EXPECT_EQ(join(0), std::nullopt); // on its way
    nodes.on_join_answer(0, joined_as(10), at(0s));
    EXPECT_EQ(nodes.check(0, at(0s)), readiness::votes);
    EXPECT_EQ(nodes.id_to_check(0), 10U);
}

TEST_F(quorum_membership, a_new_quorum_votes_at_once) {
    for (unsigned node = 0; node < 3; ++node) { EXPECT_EQ(join(node), join_mode::look); }
    nodes.on_join_answer(0, nameless(true), at(0s));
    EXPECT_EQ(join(0), std::nullopt); // what are the others?
    nodes.on_join_answer(1, nameless(true), at(0s));
    nodes.on_join_answer(2, nameless(true), at(0s));
    for (unsigned node = 0; node < 3; ++node) { EXPECT_EQ(join(node), join_mode::vote_now); }
}

TEST_F(quorum_membership, that_a_quorum_is_new_counts_for_a_moment_only) { // P1
    for (unsigned node = 0; node < 3; ++node) { EXPECT_EQ(join(node), join_mode::look); }
    for (unsigned node = 0; node < 3; ++node) {
        nodes.on_join_answer(node, nameless(true), at(0s));
    }
    const auto named = nodes.next_join(0, at(1s));
    ASSERT_TRUE(named);
    EXPECT_EQ(named->mode, join_mode::vote_now);
    EXPECT_EQ(named->not_after, at(membership::longest_look));
    // This client was stopped. Meanwhile another one may have used the nodes, and one of them may
    // have lost its data.
    EXPECT_EQ(join(1, at(membership::longest_look)), join_mode::vote_later);
}

TEST_F(quorum_membership, a_node_without_identity_beside_others_votes_later) {
    for (unsigned node = 0; node < 3; ++node) { EXPECT_EQ(join(node), join_mode::look); }
    nodes.on_join_answer(0, joined_as(10), at(0s));
    nodes.on_join_answer(1, nameless(true), at(0s));
    nodes.on_join_answer(2, joined_as(12), at(0s));
    EXPECT_EQ(join(1), join_mode::vote_later);
}

TEST_F(quorum_membership, all_without_identity_vote_later_if_one_was_used_before) {
    for (unsigned node = 0; node < 3; ++node) { EXPECT_EQ(join(node), join_mode::look); }
    nodes.on_join_answer(0, nameless(true), at(0s));
    nodes.on_join_answer(1, nameless(false), at(0s));
    nodes.on_join_answer(2, nameless(true), at(0s));
    for (unsigned node = 0; node < 3; ++node) { EXPECT_EQ(join(node), join_mode::vote_later); }
}

TEST_F(quorum_membership, all_without_identity_vote_later_if_one_cannot_be_reached) {
    for (unsigned node = 0; node < 3; ++node) { EXPECT_EQ(join(node), join_mode::look); }
    nodes.on_join_answer(0, nameless(true), at(0s));
    nodes.on_join_answer(1, unreachable(), at(0s));
    nodes.on_join_answer(2, nameless(true), at(0s));
    EXPECT_EQ(join(0), join_mode::vote_later);
    EXPECT_EQ(join(2), join_mode::vote_later);
}

TEST_F(quorum_membership, a_node_that_lost_its_data_does_not_vote_before_its_time) {
    join_all();
    nodes.on_left(1);
    EXPECT_EQ(join(1), join_mode::look);
    nodes.on_join_answer(1, joined_as(21, 30s), at(0s));
    EXPECT_EQ(nodes.check(1, at(29s)), readiness::down);
    EXPECT_EQ(nodes.trouble(1, at(20s)), "votes in 10 s");
    EXPECT_THAT(nodes.why_some_wait(at(20s)), HasSubstr("every lease that it may have forgotten"));
    EXPECT_EQ(nodes.check(1, at(30s)), readiness::votes);
    EXPECT_EQ(nodes.why_some_wait(at(30s)), "");
}

TEST_F(quorum_membership, a_message_names_a_server_once) {
    EXPECT_EQ(engine::quorum::without_server("Redis at [::1]:7: connection refused"),
              "connection refused");
    EXPECT_EQ(engine::quorum::without_server("Redis at h:7: ERR no: see it"), "ERR no: see it");
    EXPECT_EQ(engine::quorum::without_server("the file is gone: x"), "the file is gone: x");
}

TEST_F(quorum_membership, a_node_of_a_quorum_that_was_new_is_not_new_again) { // P1
    for (unsigned node = 0; node < 3; ++node) { EXPECT_EQ(join(node), join_mode::look); }
    for (unsigned node = 0; node < 3; ++node) {
        nodes.on_join_answer(node, nameless(true), at(0s));
    }
    for (unsigned node = 0; node < 3; ++node) { EXPECT_EQ(join(node), join_mode::vote_now); }
    for (unsigned node = 0; node < 3; ++node) {
        nodes.on_join_answer(node, joined_as(10 + node), at(0s));
    }
    nodes.on_left(1); // another server answers at its address
    EXPECT_EQ(join(1), join_mode::look);
    nodes.on_join_answer(1, nameless(true), at(1s));
    EXPECT_EQ(join(1), join_mode::vote_later);
}

TEST_F(quorum_membership, an_observer_waits_by_its_own_clock_as_well) {
    join_all();
    nodes.on_left(1);
    EXPECT_EQ(join(1), join_mode::look);
    nodes.on_join_answer(1, joined_as(21, 30s), at(0s));
    nodes.on_left(1); // reconnects; meanwhile the server's clock was stepped forward
    EXPECT_EQ(join(1, at(1s)), join_mode::look);
    nodes.on_join_answer(1, joined_as(21, 0s), at(1s));
    EXPECT_EQ(nodes.check(1, at(2s)), readiness::down);
    EXPECT_EQ(nodes.check(1, at(30s)), readiness::votes);
}

TEST_F(quorum_membership, the_same_identity_twice_makes_the_quorum_unusable) {
    EXPECT_EQ(join(0), join_mode::look);
    EXPECT_EQ(join(2), join_mode::look);
    nodes.on_join_answer(0, joined_as(10), at(0s));
    EXPECT_EQ(nodes.defect(), "");
    nodes.on_join_answer(2, joined_as(10), at(0s));
    EXPECT_THAT(nodes.defect(), HasSubstr("a and c are the same server"));
}

TEST_F(quorum_membership, another_max_lease_makes_the_quorum_unusable) {
    EXPECT_EQ(join(0), join_mode::look);
    answer refused;
    refused.status = op_status::failed;
    refused.error = make_error_code(errc::invalid_option);
    refused.detail = "max_lease differs";
    nodes.on_join_answer(0, refused, at(0s));
    EXPECT_EQ(nodes.defect(), "max_lease differs");
}

TEST_F(quorum_membership, a_silent_node_is_probed_now_and_then) {
    join_all();
    nodes.on_silence(1, "no answer in time", at(0s));
    EXPECT_EQ(nodes.check(1, at(50ms)), readiness::down);
    EXPECT_EQ(nodes.trouble(1, at(50ms)), "failed: no answer in time");
    EXPECT_EQ(nodes.check(1, at(100ms)), readiness::votes);
    nodes.on_asked(1, at(100ms));
    EXPECT_EQ(nodes.check(1, at(150ms)), readiness::down);
    nodes.on_contact(1);
    EXPECT_EQ(nodes.check(1, at(150ms)), readiness::votes);
}

TEST_F(quorum_membership, a_node_that_could_not_join_is_asked_again_after_a_pause) { // P9
    join_all();
    nodes.on_left(1);
    EXPECT_EQ(join(1), join_mode::look);
    nodes.on_join_answer(1, unreachable(), at(0s));
    EXPECT_EQ(join(1, at(0s)), std::nullopt);
    EXPECT_EQ(join(1, at(99ms)), std::nullopt);
    EXPECT_EQ(join(1, at(100ms)), join_mode::look);
}

TEST_F(quorum_membership, silent_nodes_are_asked_if_the_others_are_no_majority) {
    join_all();
    nodes.on_silence(0, "", at(0s));
    nodes.on_silence(1, "", at(0s));
    EXPECT_EQ(nodes.check(0, at(1ms)), readiness::votes);
    EXPECT_TRUE(nodes.reachable(1, at(1ms)));
}

TEST_F(quorum_membership, without_restart_safety_no_identity_is_checked) {
    membership trusting{{"a"}, 0s};
    ASSERT_TRUE(trusting.next_join(0, at(0s)));
    trusting.on_join_answer(0, joined_as(10), at(0s));
    EXPECT_EQ(trusting.id_to_check(0), 0U);
}

TEST_F(quorum_membership, a_join_that_a_reset_forgot_is_sent_again) {
    EXPECT_EQ(join(0), join_mode::look);
    nodes.on_reset();
    EXPECT_EQ(join(0), join_mode::look);
}

} // namespace
