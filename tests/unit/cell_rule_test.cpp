// The rule of cells, in virtual time; the contract suite tests it on every engine.

#include "holdfast/engine/admission/cell_rule.hpp"

#include "holdfast/engine/embedded/cell_table.hpp"

#include <gtest/gtest.h>

namespace holdfast::engine::admission {
namespace {

using namespace std::chrono_literals;

class cell_rules : public ::testing::Test {
protected:
    answer apply(const cell_op& op) { return cell_rule{cell_, at_, pushes_}.apply(op); }
    static cell_op arrival(std::string member, unsigned expected) {
        cell_op out;
        out.action = cell_op::action_kind::arrive;
        out.member = std::move(member);
        out.expected = expected;
        out.keep = 10s;
        return out;
    }
    void pass(std::chrono::microseconds span) {
        at_.wall_us += span.count();
        at_.now += span;
    }
    cell_op watch(std::uint64_t number) {
        cell_op out;
        out.watches = true;
        out.ticket.owner.number = number;
        return out;
    }

    cell cell_;
    moment at_{base::instant{1h}, 1'000'000'000, nullptr};
    std::vector<push> pushes_;
};

TEST_F(cell_rules, forget_a_cell_when_it_expires_and_keep_its_watchers) {
    ASSERT_TRUE(apply(arrival("a", 2)).cell->applied);
    pass(9s);
    ASSERT_TRUE(apply(watch(7)).cell->birth != 0);
    pass(1s);
    const auto anew = apply(arrival("b", 1)); // another count is possible now
    EXPECT_EQ(anew.cell->phase, 1U);
    ASSERT_EQ(pushes_.size(), 1U);
    EXPECT_EQ(pushes_[0].notice.number, 7U);
}

TEST_F(cell_rules, drop_watchers_that_are_silent) {
    (void)apply(watch(7));
    EXPECT_FALSE((cell_rule{cell_, at_, pushes_}.is_deletable()));
    pass(waiter_timeout);
    EXPECT_TRUE((cell_rule{cell_, at_, pushes_}.is_deletable()));
    (void)apply(arrival("a", 1));
    EXPECT_TRUE(pushes_.empty());
}

TEST_F(cell_rules, keep_a_limited_number_of_watchers) {
    for (std::uint64_t i = 1; i <= max_watchers + 5; ++i) { (void)apply(watch(i)); }
    EXPECT_EQ(cell_.watchers.size(), max_watchers);
    (void)apply(watch(1)); // is one of them
    EXPECT_EQ(cell_.watchers.size(), max_watchers);
}

TEST_F(cell_rules, refuse_what_is_late) {
    auto late = arrival("a", 1);
    late.not_after = at_.now - 1ns;
    EXPECT_EQ(apply(late).status, op_status::busy);
    EXPECT_EQ(cell_.birth, 0U);
}

TEST_F(cell_rules, count_no_more_than_is_expected) {
    auto heavy = arrival("a", 3);
    heavy.weight = 2;
    EXPECT_EQ(apply(heavy).cell->arrived, 2U);
    heavy.member = "b";
    const auto open = apply(heavy);
    EXPECT_EQ(open.cell->arrived, 3U);
    EXPECT_EQ(open.cell->phase, 1U);
}

#if HOLDFAST_WITH_EMBEDDED
TEST_F(cell_rules, are_the_same_after_a_cell_was_stored_in_a_file) {
    auto first = arrival("a", 2);
    first.cyclic = true;
    (void)apply(first);
    auto second = first;
    second.member = "b";
    (void)apply(second);
    first.birth = cell_.birth;
    first.phase = 1;
    (void)apply(first);
    (void)apply(watch(7));
    cell_.token = 5;
    cell_.order = 6;
    embedded::buffer stored;
    embedded::encode(cell_, stored);
    cell read;
    ASSERT_TRUE(embedded::decode_cell(stored, read));
    EXPECT_EQ(read.birth, cell_.birth);
    EXPECT_EQ(read.token, 5U);
    EXPECT_EQ(read.order, 6U);
    EXPECT_EQ(read.phase, 1U);
    EXPECT_EQ(read.members, cell_.members);
    EXPECT_EQ(read.last_members, cell_.last_members);
    EXPECT_EQ(read.expires_us, cell_.expires_us);
    ASSERT_EQ(read.watchers.size(), 1U);
    EXPECT_EQ(read.watchers[0].owner.number, 7U);
    for (std::size_t length = 0; length < stored.size(); ++length) {
        cell damaged;
        EXPECT_FALSE(embedded::decode_cell(embedded::bytes{stored}.first(length), damaged));
    }
}
#endif

} // namespace
} // namespace holdfast::engine::admission
