// What a set needs of one name: whether it would be granted, without a grant. And downgrades.

#include "admission_fixture.hpp"

namespace holdfast::engine::admission {
namespace {

class admission_of_sets : public admission {
protected:
    std::optional<answer> refuse(const acquire_op& operation) {
        return apply([&](admission_rule& rule) { return rule.refuse(operation); });
    }
    op_status downgrade(const base::owner_id& owner) {
        return apply([&](admission_rule& rule) {
                   return rule.downgrade({{"stock:1001", owner}});
               })
            .status;
    }
};

TEST_F(admission_of_sets, a_free_name_is_not_refused_and_not_taken) {
    EXPECT_FALSE(refuse(exclusive(a)));
    EXPECT_FALSE(changed);
    EXPECT_EQ(ask(exclusive(b)), op_status::granted);
}

TEST_F(admission_of_sets, P1_what_was_not_refused_is_granted_once) {
    const auto acquire_unrefused = [&](const acquire_op& operation) {
        return apply([&](admission_rule& rule) {
            return rule.acquire_unrefused(operation, {"host", 1});
        });
    };
    ASSERT_FALSE(refuse(exclusive(a)));
    const auto first = acquire_unrefused(exclusive(a));
    EXPECT_EQ(first.status, op_status::granted);
    EXPECT_EQ(acquire_unrefused(exclusive(a)).token, first.token) << "sent again";
    EXPECT_EQ(acquire_unrefused(exclusive(b)).status, op_status::busy);
    EXPECT_EQ(holders(), (owners{a}));
}

TEST_F(admission_of_sets, P5_a_name_that_the_owner_holds_is_not_refused) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    EXPECT_FALSE(refuse(exclusive(a)));
    EXPECT_EQ(refuse(exclusive(b))->status, op_status::busy);
    ASSERT_EQ(release(a), op_status::released);
    EXPECT_EQ(refuse(exclusive(a))->status, op_status::busy) << "after its own release";
}

TEST_F(admission_of_sets, P6_a_name_that_is_waited_for_is_refused_and_nobody_is_enqueued) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    ASSERT_EQ(ask(exclusive(b)), op_status::queued);
    EXPECT_EQ(refuse(exclusive(c))->status, op_status::busy);
    EXPECT_EQ(state.waiting, 1U);
}

TEST_F(admission_of_sets, a_name_of_another_kind_or_past_its_not_after_is_refused) {
    ASSERT_EQ(ask(reader(a)), op_status::granted);
    EXPECT_EQ(refuse(exclusive(b))->error, errc::wrong_primitive);
    ASSERT_EQ(release(a), op_status::released);
    auto late = exclusive(b);
    late.not_after = now - 1ms;
    EXPECT_EQ(refuse(late)->status, op_status::busy);
}

TEST_F(admission_of_sets, P1_a_downgrade_admits_readers_and_no_writer) {
    const auto token = acquire(writer(a)).token;
    ASSERT_EQ(ask(reader(b)), op_status::queued);
    ASSERT_EQ(ask(writer(c)), op_status::queued);
    EXPECT_EQ(downgrade(a), op_status::renewed);
    EXPECT_TRUE(changed);
    EXPECT_EQ(holders(), (owners{a, b}));
    EXPECT_EQ(state.holds.at(1).token, token);
    EXPECT_EQ(downgrade(a), op_status::renewed) << "sent again";
    EXPECT_FALSE(changed);
    EXPECT_EQ(release(a), op_status::released);
    EXPECT_EQ(release(b), op_status::handed_off);
    EXPECT_EQ(holders(), owners{c});
}

TEST_F(admission_of_sets, a_downgrade_of_what_is_not_a_writers_hold_changes_nothing) {
    EXPECT_EQ(downgrade(a), op_status::lost);
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    EXPECT_EQ(downgrade(a), op_status::failed);
    EXPECT_FALSE(changed);
    EXPECT_EQ(downgrade(b), op_status::lost);
}

} // namespace
} // namespace holdfast::engine::admission
