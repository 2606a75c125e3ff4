// A quorum joins an engine as one of its nodes.
#include "contract/contract.hpp"

namespace {

using namespace holdfast::test;
using holdfast::engine::op_status;

HOLDFAST_CONTRACT(join);

constexpr milliseconds max_lease = 100ms;

/// Joins, and waits until the engine votes. Returns its id.
std::uint64_t become_node(seam_client& client) {
    const auto joined = client.join(max_lease);
    EXPECT_EQ(joined.status, op_status::reported) << joined.detail;
    if (joined.report == nullptr) { return 0; }
    const auto wait = joined.report->votes_in;
    if (wait > wait.zero()) { client.drive_for(std::chrono::ceil<milliseconds>(wait) + 20ms); }
    return joined.report->node_id;
}

TEST_P(join, all_clients_of_a_store_get_the_same_id) {
    HOLDFAST_NEEDS(can().joins);
    seam_client one{url()};
    seam_client two{url()};
    const auto first = one.join(max_lease);
    ASSERT_EQ(first.status, op_status::reported) << first.detail;
    ASSERT_NE(first.report, nullptr);
    EXPECT_NE(first.report->node_id, 0U);
    const auto second = two.join(max_lease);
    ASSERT_NE(second.report, nullptr) << second.detail;
    EXPECT_EQ(second.report->node_id, first.report->node_id);
    EXPECT_EQ(one.join(max_lease).report->node_id, first.report->node_id);
}

TEST_P(join, other_stores_have_other_ids) {
    HOLDFAST_NEEDS(can().joins);
    const auto other_store = GetParam().make_store();
    seam_client one{url()};
    seam_client two{other_store->url()};
    const auto first = one.join(max_lease).report;
    const auto second = two.join(max_lease).report;
    ASSERT_TRUE(first && second);
    EXPECT_NE(first->node_id, second->node_id);
}

TEST_P(join, a_node_grants_to_those_who_know_it) {
    HOLDFAST_NEEDS(can().joins);
    seam_client all{url()};
    const auto id = become_node(all);
    const auto mine = all.ticket("stock");
    EXPECT_EQ(all.acquire(mine, {.node_id = id}).status, op_status::granted);
    EXPECT_EQ(all.acquire(mine, {.node_id = id}).status, op_status::granted);
    EXPECT_EQ(all.acquire(all.ticket("stock"), {.node_id = id}).status, op_status::busy);
    EXPECT_EQ(all.release(mine).status, op_status::released);
}

TEST_P(join, a_node_does_not_grant_to_those_who_know_another) {
    HOLDFAST_NEEDS(can().joins);
    HOLDFAST_NEEDS(can().reclaims);
    seam_client all{url()};
    const auto id = become_node(all);
    const auto token = static_cast<std::uint64_t>(all.identity().time->wall_us());
    for (const auto proposed : {std::uint64_t{0}, token}) {
        const request other{.proposed_token = proposed, .node_id = id + 1};
        EXPECT_EQ(all.acquire(all.ticket("stock"), other).status, op_status::not_joined);
        EXPECT_TRUE(all.inspect("stock").holders.empty());
    }
    const request known{.proposed_token = token, .node_id = id};
    EXPECT_EQ(all.acquire(all.ticket("stock"), known).token, token);
}

TEST_P(join, a_store_that_has_lost_its_data_is_another_node) {
    HOLDFAST_NEEDS(can().joins);
    HOLDFAST_NEEDS(can().reclaims);
    seam_client all{url()};
    const auto id = become_node(all);
    if (!the_store().lose_data()) { GTEST_SKIP() << "this engine cannot lose data"; }
    const auto vote = [&] { return all.acquire(all.ticket("stock"), {.node_id = id}).status; };
    ASSERT_TRUE(eventually([&] { return vote() != op_status::failed; })); // it opens another file
    EXPECT_EQ(vote(), op_status::not_joined);
    seam_client other{url()};
    const auto joined = [&] { return other.join(max_lease).report; };
    ASSERT_TRUE(eventually([&] { return joined() != nullptr; }));
    EXPECT_NE(joined()->node_id, id);
}

} // namespace
