// compiled alone
// Cells, on which latches, barriers, once flags and elections are built: at the seam.
#include "contract/contract.hpp"

namespace {

using namespace holdfast::test;
using holdfast::errc;
using holdfast::engine::cell_op;
using holdfast::engine::notice;
using holdfast::engine::op_status;
using holdfast::engine::write_if;

HOLDFAST_CONTRACT(cell);

cell_op read_of(const holdfast::engine::ticket& ticket) { return {.ticket = ticket}; }

cell_op watch_of(const holdfast::engine::ticket& ticket) {
    return {.ticket = ticket, .watches = true};
}

cell_op write_of(const holdfast::engine::ticket& ticket, std::uint64_t token, std::uint64_t order,
                 std::string value, write_if condition = write_if::newest) {
    return {.ticket = ticket,
            .action = cell_op::action_kind::write,
            .token = token,
            .order = order,
            .condition = condition,
            .value = std::move(value)};
}

cell_op arrival_of(const holdfast::engine::ticket& ticket, std::string member, unsigned expected) {
    return {.ticket = ticket,
            .action = cell_op::action_kind::arrive,
            .keep = 60s,
            .member = std::move(member),
            .expected = expected};
}

TEST_P(cell, keeps_the_last_value_and_refuses_an_older_token_or_order) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    seam_client mine{url()};
    const auto ticket = mine.ticket("leader");
    EXPECT_EQ(mine.ask(read_of(ticket)).cell->birth, 0U);
    EXPECT_TRUE(mine.ask(write_of(ticket, 5, 1, "a")).cell->applied);
    EXPECT_TRUE(mine.ask(write_of(ticket, 5, 2, "b")).cell->applied);
    EXPECT_FALSE(mine.ask(write_of(ticket, 5, 1, "a")).cell->applied); // a late duplicate
    EXPECT_TRUE(mine.ask(write_of(ticket, 6, 1, "c")).cell->applied);
    const auto late = mine.ask(write_of(ticket, 5, 3, "d"));
    ASSERT_EQ(late.status, op_status::reported);
    EXPECT_FALSE(late.cell->applied);
    EXPECT_EQ(late.cell->value, "c");
    EXPECT_EQ(late.cell->token, 6U);
    const auto again = mine.ask(write_of(ticket, 6, 1, "c"));
    EXPECT_TRUE(again.cell->applied); // the same once more
    EXPECT_NE(again.cell->birth, 0U);
}

TEST_P(cell, writes_under_conditions) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    seam_client mine{url()};
    const auto ticket = mine.ticket("flag");
    EXPECT_FALSE(mine.ask(write_of(ticket, 5, 2, "r", write_if::own)).cell->applied);
    EXPECT_TRUE(mine.ask(write_of(ticket, 5, 1, "", write_if::empty)).cell->applied);
    EXPECT_TRUE(mine.ask(write_of(ticket, 6, 1, "", write_if::empty)).cell->applied);
    EXPECT_FALSE(mine.ask(write_of(ticket, 5, 2, "old", write_if::own)).cell->applied);
    EXPECT_TRUE(mine.ask(write_of(ticket, 6, 2, "new", write_if::own)).cell->applied);
    EXPECT_TRUE(mine.ask(write_of(ticket, 6, 2, "new", write_if::own)).cell->applied);
    const auto refused = mine.ask(write_of(ticket, 7, 1, "", write_if::empty));
    EXPECT_FALSE(refused.cell->applied);
    EXPECT_EQ(refused.cell->value, "new");
}

TEST_P(cell, is_erased_by_its_last_writer_only) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    seam_client mine{url()};
    const auto ticket = mine.ticket("leader");
    (void)mine.ask(write_of(ticket, 6, 1, "c"));
    cell_op erase{.ticket = ticket, .action = cell_op::action_kind::erase, .token = 5, .order = 9};
    EXPECT_FALSE(mine.ask(erase).cell->applied);
    erase.token = 6;
    EXPECT_TRUE(mine.ask(erase).cell->applied);
    EXPECT_TRUE(mine.ask(erase).cell->applied);
    EXPECT_EQ(mine.ask(read_of(ticket)).cell->birth, 0U);
}

TEST_P(cell, keeps_any_bytes_and_any_name) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    seam_client mine{url()};
    const auto ticket = mine.ticket(std::string{"a{b}%\0\xff", 7});
    std::string value(holdfast::engine::max_cell_value, 'x');
    value[1] = '\0';
    value[2] = '\n';
    EXPECT_TRUE(mine.ask(write_of(ticket, 1, 1, value)).cell->applied);
    EXPECT_EQ(mine.ask(read_of(ticket)).cell->value, value);
    value += 'x';
    EXPECT_EQ(mine.ask(write_of(ticket, 1, 2, value)).error, errc::limit_reached);
}

TEST_P(cell, notifies_those_that_watch_it_once) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    seam_client mine{url()};
    seam_client theirs{url()};
    const auto first = theirs.ticket("leader");
    const auto second = theirs.ticket("leader");
    const auto ticket = mine.ticket("leader");
    ASSERT_EQ(theirs.ask(watch_of(first)).status, op_status::reported); // it does not exist yet
    ASSERT_EQ(theirs.ask(watch_of(second)).status, op_status::reported);
    ASSERT_TRUE(mine.ask(write_of(ticket, 5, 1, "a")).cell->applied);
    EXPECT_TRUE(theirs.await(notice::kind::maybe_free, first));
    EXPECT_TRUE(theirs.await(notice::kind::maybe_free, second));
    ASSERT_TRUE(mine.ask(write_of(ticket, 5, 2, "b")).cell->applied);
    theirs.drive_for(50ms);
    EXPECT_EQ(theirs.notices(notice::kind::maybe_free, first), 1U);
}

TEST_P(cell, counts_each_member_once) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    seam_client mine{url()};
    seam_client theirs{url()};
    const auto watching = theirs.ticket("start");
    const auto ticket = mine.ticket("start");
    EXPECT_EQ(mine.ask(arrival_of(ticket, "a", 2)).cell->arrived, 1U);
    EXPECT_EQ(mine.ask(arrival_of(ticket, "a", 2)).cell->arrived, 1U);
    EXPECT_EQ(mine.ask(arrival_of(ticket, "b", 3)).error, errc::wrong_limit);
    ASSERT_EQ(theirs.ask(watch_of(watching)).cell->phase, 0U);
    const auto last = mine.ask(arrival_of(ticket, "b", 2));
    EXPECT_EQ(last.cell->phase, 1U);
    EXPECT_TRUE(theirs.await(notice::kind::maybe_free, watching));
    EXPECT_EQ(mine.ask(arrival_of(ticket, "c", 2)).cell->phase, 1U);
}

TEST_P(cell, counts_an_arrival_that_is_repeated_after_the_phase_once) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    seam_client mine{url()};
    const auto ticket = mine.ticket("round");
    auto first = arrival_of(ticket, "a", 2);
    first.cyclic = true;
    auto second = arrival_of(ticket, "b", 2);
    second.cyclic = true;
    const auto began = mine.ask(first);
    ASSERT_TRUE(began.cell->applied);
    ASSERT_EQ(mine.ask(second).cell->phase, 1U);
    const auto repeated = mine.ask(first);
    EXPECT_TRUE(repeated.cell->applied);
    EXPECT_EQ(repeated.cell->counted_in, 0U);
    EXPECT_EQ(repeated.cell->arrived, 0U);
    first.birth = began.cell->birth;
    first.phase = 1;
    EXPECT_EQ(mine.ask(first).cell->arrived, 1U);
    first.phase = 0;
    EXPECT_EQ(mine.ask(first).cell->counted_in, 0U);
    second.birth = began.cell->birth;
    second.phase = 3;
    EXPECT_FALSE(mine.ask(second).cell->applied);
    second.birth = 1;
    EXPECT_FALSE(mine.ask(second).cell->applied);
}

TEST_P(cell, expires) { // P8
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    seam_client mine{url()};
    const auto ticket = mine.ticket("start");
    auto arrival = arrival_of(ticket, "a", 2);
    arrival.keep = 200ms;
    ASSERT_EQ(mine.ask(arrival).cell->arrived, 1U);
    mine.drive_for(250ms);
    EXPECT_EQ(mine.ask(read_of(ticket)).cell->birth, 0U);
    EXPECT_EQ(mine.ask(arrival_of(ticket, "b", 5)).cell->arrived, 1U);
}

TEST_P(cell, refuses_an_arrival_after_its_not_after) { // P5
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    seam_client mine{url()};
    const auto ticket = mine.ticket("start");
    auto arrival = arrival_of(ticket, "a", 2);
    (void)mine.ask(read_of(ticket));
    arrival.not_after = mine.identity().time->now() - 1h;
    EXPECT_EQ(mine.ask(arrival).status, op_status::busy);
    EXPECT_EQ(mine.ask(read_of(ticket)).cell->birth, 0U);
}

TEST_P(cell, has_names_of_its_own) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    seam_client mine{url()};
    const auto ticket = mine.ticket("leader");
    ASSERT_TRUE(mine.ask(write_of(ticket, 5, 1, "a")).cell->applied);
    ASSERT_EQ(mine.acquire(mine.ticket("leader")).status, op_status::granted);
    const auto listed = mine.ask(holdfast::engine::list_op{});
    ASSERT_EQ(listed.status, op_status::reported) << listed.detail;
    ASSERT_EQ(listed.report->locks.size(), 1U);
    EXPECT_EQ(listed.report->locks.front().name, "leader");
    EXPECT_EQ(mine.ask(read_of(ticket)).cell->value, "a");
}

TEST_P(cell, is_refused_where_it_is_not_safe) {
    if (can().why_no_cells == nullptr) { GTEST_SKIP() << "this engine has cells"; }
    seam_client mine{url()};
    EXPECT_EQ(mine.ask(write_of(mine.ticket("leader"), 5, 1, "a")).error, errc::unsupported);
}

// A claim of a once flag that came twice, the second time after the function had thrown.
TEST_P(cell, is_not_made_again_by_an_older_write_that_comes_after_its_erasure) { // P5
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    seam_client mine{url()};
    const auto ticket = mine.ticket("once:report");
    const auto claim = write_of(ticket, 5, 1, "", write_if::empty);
    EXPECT_TRUE(mine.ask(claim).cell->applied);
    const cell_op erase{
        .ticket = ticket, .action = cell_op::action_kind::erase, .token = 5, .order = 3};
    EXPECT_TRUE(mine.ask(erase).cell->applied);
    EXPECT_TRUE(mine.ask(erase).cell->applied) << "sent again";
    const auto late = mine.ask(claim);
    EXPECT_FALSE(late.cell->applied);
    EXPECT_EQ(late.cell->birth, 0U);
    EXPECT_EQ(late.cell->token, 0U);
    EXPECT_TRUE(mine.ask(write_of(ticket, 6, 1, "", write_if::empty)).cell->applied)
        << "the next holder's";
}

TEST_P(cell, is_not_made_by_a_write_that_comes_after_an_erasure_which_found_nothing) { // P5
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    seam_client mine{url()};
    const auto ticket = mine.ticket("leader");
    const cell_op erase{
        .ticket = ticket, .action = cell_op::action_kind::erase, .token = 5, .order = 3};
    EXPECT_TRUE(mine.ask(erase).cell->applied);
    EXPECT_FALSE(mine.ask(write_of(ticket, 5, 1, "late")).cell->applied);
    EXPECT_EQ(mine.ask(cell_op{.ticket = ticket}).cell->birth, 0U);
    EXPECT_TRUE(mine.ask(write_of(ticket, 6, 1, "next")).cell->applied);
}

TEST_P(cell, without_a_token_is_erased_by_its_birth_only) { // P5
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    seam_client mine{url()};
    const auto ticket = mine.ticket("latch:start");
    cell_op arrival{.ticket = ticket, .action = cell_op::action_kind::arrive};
    arrival.member = "a";
    arrival.expected = 2;
    (void)mine.ask(arrival);
    cell_op erase{.ticket = ticket, .action = cell_op::action_kind::erase};
    const auto found = mine.ask(erase);
    EXPECT_FALSE(found.cell->applied) << "it only asked";
    EXPECT_EQ(found.cell->arrived, 1U);
    erase.birth = found.cell->birth;
    EXPECT_TRUE(mine.ask(erase).cell->applied);
    EXPECT_EQ(mine.ask(arrival).cell->arrived, 1U) << "of a new one";
    EXPECT_TRUE(mine.ask(erase).cell->applied) << "it was done before";
    EXPECT_EQ(mine.ask(cell_op{.ticket = ticket}).cell->arrived, 1U) << "a newer cell was erased";
}

} // namespace
