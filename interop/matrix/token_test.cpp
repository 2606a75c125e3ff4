// Fencing tokens: shared with a client that has them, ours alone beside one that has none.

#include "matrix.hpp"

namespace holdfast::interop {

namespace {

std::uint64_t token_of(const std::string& answer) {
    EXPECT_EQ(answer.rfind("held ", 0), 0) << answer;
    return answer.size() > 5 ? std::stoull(answer.substr(5)) : 0;
}

} // namespace

class token : public matrix {
protected:
    /// Of theirs, if they have tokens.
    std::uint64_t of_theirs(const std::string& request, std::uint64_t otherwise) const {
        if (GetParam().fences) { return token_of(theirs().ask(request + " fenced")); }
        EXPECT_EQ(theirs().ask(request + " fenced"), "unsupported");
        EXPECT_EQ(theirs().ask(request), "held");
        return otherwise;
    }
    [[nodiscard]] std::uint64_t of_ours(const std::string& request) const {
        return token_of(ours().ask(request + " fenced"));
    }
};
HOLDFAST_FOR_ALL_CLIENTS(token);

TEST_P(token, rises_whoever_held_the_lock_in_between) {
    std::uint64_t last = 0;
    for (int i = 0; i < 4; ++i) {
        const auto ours_now = of_ours(try_by("a"));
        EXPECT_GT(ours_now, last);
        ASSERT_EQ(ours().ask("release a"), "released");
        const auto theirs_now = of_theirs(try_by("b"), ours_now + 1);
        EXPECT_GT(theirs_now, ours_now);
        ASSERT_EQ(theirs().ask("release b"), "released");
        last = GetParam().fences ? theirs_now : ours_now;
    }
    if (GetParam().fences) {
        EXPECT_EQ(server().command({"GET", "redisson_lock_token:{" + name() + "}"}).string(),
                  std::to_string(last));
    }
}

TEST_P(token, rises_over_expiries_and_take_overs) {
    const auto first = of_ours(try_by("a", short_lease));
    const auto second = of_theirs(wait_by("b", short_lease), first + 1);
    EXPECT_GT(second, first);
    const auto third = of_ours(wait_by("c"));
    EXPECT_GT(third, GetParam().fences ? second : first);
    EXPECT_EQ(ours().ask("release c"), "released");
}

TEST_P(token, is_not_spent_on_those_who_are_refused) {
    const auto first = of_ours(try_by("a"));
    EXPECT_EQ(ours().ask(try_by("b", long_lease, "fenced")), "busy");
    if (GetParam().fences) { EXPECT_EQ(theirs().ask(try_by("b", long_lease, "fenced")), "busy"); }
    ASSERT_EQ(ours().ask("release a"), "released");
    const auto second = of_ours(try_by("a"));
    if (GetParam().fences) { EXPECT_EQ(second, first + 1); }
    EXPECT_GT(second, first);
    ASSERT_EQ(ours().ask("release a"), "released");
}

} // namespace holdfast::interop
