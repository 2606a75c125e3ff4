// Unconfirmed releases and withdrawals are resent before the next acquire of the same name.

#include "holdfast/core/unfinished_list.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::core {
namespace {

using base::instant;

class sender final : public drive::participant {
public:
    explicit sender(std::string name) : name_{std::move(name)} {}
    void on_timer(instant /*now*/) override {}
    void on_answer(drive::purpose /*purpose*/, const engine::answer& /*answer*/, instant /*sent*/,
                   instant /*now*/) override {}
    void on_hurry(instant /*now*/) override {
        ++sent;
        if (then) { then(); }
    }

    int sent = 0;
    std::function<void()> then;

private:
    std::string name_;

public:
    unfinished_list::entry entry{*this, name_};
};

class unfinished_list_test : public testing::Test {
protected:
    std::shared_ptr<sender> add(const std::string& name) {
        auto entry_owner = std::make_shared<sender>(name);
        list_.set(entry_owner->entry, true);
        return entry_owner;
    }
    unfinished_list list_;
};

TEST_F(unfinished_list_test, resends_only_the_members_of_that_name) {
    const auto first = add("stock");
    const auto other = add("other");
    const auto second = add("stock");
    list_.resend_all("stock", {});
    list_.resend_all("unknown", {});
    EXPECT_EQ(first->sent, 1);
    EXPECT_EQ(second->sent, 1);
    EXPECT_EQ(other->sent, 0);
}

TEST_F(unfinished_list_test, contains_each_member_once_until_it_has_finished) {
    const auto member = add("stock");
    list_.set(member->entry, true);
    list_.resend_all("stock", {});
    EXPECT_EQ(member->sent, 1);
    list_.set(member->entry, false);
    list_.set(member->entry, false);
    list_.resend_all("stock", {});
    EXPECT_EQ(member->sent, 1);
}

TEST_F(unfinished_list_test, allows_members_to_leave_and_be_destroyed_during_a_resend) {
    std::vector<std::shared_ptr<sender>> all{add("stock"), add("stock"), add("stock")};
    auto* const middle = all[1].get();
    middle->then = [&] {
        list_.set(middle->entry, false);
        all[1].reset();
    };
    list_.resend_all("stock", {});
    EXPECT_EQ(all[0]->sent, 1);
    EXPECT_EQ(all[2]->sent, 1);
    list_.resend_all("stock", {});
    EXPECT_EQ(all[0]->sent, 2);
}

TEST_F(unfinished_list_test, may_be_destroyed_before_its_members_and_after_them) {
    auto short_lived = std::make_unique<unfinished_list>();
    const auto outlives = std::make_shared<sender>("stock");
    short_lived->set(outlives->entry, true);
    short_lived.reset();
    list_.set(outlives->entry, true); // it is in no list any more
    { const auto destroyed = add("stock"); }
    list_.resend_all("stock", {});
    EXPECT_EQ(outlives->sent, 1);
}

} // namespace
} // namespace holdfast::core
