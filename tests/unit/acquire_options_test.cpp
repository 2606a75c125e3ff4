// The options of a call override those of the lock.
#include "holdfast/core/lock_request.hpp"

#include <holdfast/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// Every member differs from its default.
lock_options locks_own() {
    return {.lease = 11s,
            .renew = false,
            .max_hold = 12s,
            .min_hold = 3s,
            .margin = 400ms,
            .detached = true,
            .note = "the lock's",
            .layout = layout::plain,
            .fencing = true};
}

/// Compares member by member, except for `skipped`.
void expect_same_but(std::string_view skipped, const lock_options& is, const lock_options& was) {
    const auto check = [&](std::string_view member, const auto& left, const auto& right) {
        if (member != skipped) { EXPECT_EQ(left, right) << member; }
    };
    check("lease", is.lease, was.lease);
    check("renew", is.renew, was.renew);
    check("max_hold", is.max_hold, was.max_hold);
    check("min_hold", is.min_hold, was.min_hold);
    check("margin", is.margin, was.margin);
    check("detached", is.detached, was.detached);
    check("note", is.note, was.note);
    check("layout", is.layout, was.layout);
    check("fencing", is.fencing, was.fencing);
}

lock_options combined(const acquire_options& call) {
    auto out = locks_own();
    core::override_options(out, call);
    return out;
}

TEST(acquire_options, change_nothing_if_unset) { expect_same_but("", combined({}), locks_own()); }

TEST(acquire_options, replace_only_the_member_that_is_set) {
    const auto with_lease = combined({.lease = 7s});
    EXPECT_EQ(with_lease.lease, 7s);
    expect_same_but("lease", with_lease, locks_own());

    const auto with_renew = combined({.renew = true});
    EXPECT_TRUE(with_renew.renew);
    expect_same_but("renew", with_renew, locks_own());

    const auto with_max_hold = combined({.max_hold = 0ms});
    EXPECT_EQ(with_max_hold.max_hold, 0ms);
    expect_same_but("max_hold", with_max_hold, locks_own());

    const auto with_min_hold = combined({.min_hold = 0ms});
    EXPECT_EQ(with_min_hold.min_hold, 0ms);
    expect_same_but("min_hold", with_min_hold, locks_own());

    const auto with_margin = combined({.margin = 0ms});
    EXPECT_EQ(with_margin.margin, 0ms);
    expect_same_but("margin", with_margin, locks_own());

    const auto with_detached = combined({.detached = false});
    EXPECT_FALSE(with_detached.detached);
    expect_same_but("detached", with_detached, locks_own());

    const auto with_note = combined({.note = ""});
    EXPECT_EQ(with_note.note, "");
    expect_same_but("note", with_note, locks_own());
}

TEST(acquire_options, leave_the_locks_options_alone_if_only_stop_is_set) {
    std::stop_source source;
    expect_same_but("", combined({.stop = source.get_token()}), locks_own());
}

std::string complaint_about(const acquire_options& call) {
    try {
        core::check_options(combined(call));
    } catch (const error& thrown) {
        EXPECT_EQ(thrown.code(), errc::invalid_option);
        return thrown.what();
    }
    return "no error";
}

TEST(acquire_options, are_checked_with_the_locks_options_and_the_text_names_the_member) {
    EXPECT_EQ(complaint_about({}), "no error");
    // The lock's margin of 400 ms and max_hold of 12 s are checked with the call's members.
    EXPECT_THAT(complaint_about({.lease = 700ms}), HasSubstr("margin"));
    EXPECT_THAT(complaint_about({.lease = 700ms}), HasSubstr("700 ms"));
    EXPECT_THAT(complaint_about({.min_hold = 13s}), HasSubstr("min_hold"));
    EXPECT_THAT(complaint_about({.min_hold = 13s}), HasSubstr("max_hold"));
    EXPECT_EQ(complaint_about({.max_hold = 0ms, .min_hold = 13s}), "no error");
    EXPECT_THAT(complaint_about({.max_hold = 50ms}), HasSubstr("max_hold"));
    EXPECT_THAT(complaint_about({.lease = 99ms}), HasSubstr("lease"));
    EXPECT_THAT(complaint_about({.note = std::string(257, 'x')}), HasSubstr("note"));
}

} // namespace
} // namespace holdfast::test
