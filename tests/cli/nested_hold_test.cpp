// `holdfast run` in the command of a `holdfast run` of the same lock.

#include "cli/cli_fixture.hpp"

namespace holdfast::test {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class nested_hold : public cli {
protected:
    /// `holdfast run OUTER... x -- holdfast run INNER... -- echo ran`
    command_result nest(words outer, const words& inner) {
        outer.insert(outer.end(), {"x", "--", HOLDFAST_CLI});
        outer.insert(outer.end(), inner.begin(), inner.end());
        outer.insert(outer.end(), {"--", "echo", "ran"});
        return run(outer);
    }
};

TEST_F(nested_hold, is_refused_because_it_would_wait_for_itself) {
    for (const auto& inner : std::vector<words>{{"run", "x"},
                                                {"run", "-w", "1m", "x"},
                                                {"run", "-n", "x"},
                                                {"run", "a", "x"},
                                                {"run", "y", "--", HOLDFAST_CLI, "run", "x"}}) {
        const auto end = nest({}, inner);
        EXPECT_EQ(end.code, 64) << inner.back();
        EXPECT_EQ(end.out, "");
        EXPECT_THAT(end.err, AllOf(HasSubstr("\"x\": the enclosing 'holdfast run' holds it (pid "),
                                   HasSubstr("would wait for itself")));
    }
}

TEST_F(nested_hold, of_acquire_is_refused_too) {
    const auto end = run({"x", "--", HOLDFAST_CLI, "acquire", "x"});
    EXPECT_EQ(end.code, 64);
    EXPECT_THAT(end.err, HasSubstr("would wait for itself"));
}

TEST_F(nested_hold, of_another_lock_or_of_two_readers_runs) {
    EXPECT_EQ(nest({}, {"run", "y"}).out, "ran\n");
    EXPECT_EQ(nest({"--shared"}, {"run", "--shared", "x"}).out, "ran\n");
    EXPECT_EQ(nest({"--shared"}, {"run", "--exclusive", "x"}).code, 64);
    EXPECT_EQ(nest({"--exclusive"}, {"run", "--shared", "x"}).code, 64);
}

TEST_F(nested_hold, of_a_semaphore_runs_while_the_limit_has_room) {
    EXPECT_EQ(nest({"--limit", "2"}, {"run", "--limit", "2", "x"}).out, "ran\n");
    EXPECT_EQ(nest({"--limit", "1"}, {"run", "--limit", "1", "x"}).code, 64);
    EXPECT_EQ(nest({"--limit", "2"}, {"run", "--limit", "2", "--permits", "2", "x"}).code, 64);
}

TEST_F(nested_hold, waits_for_somebody_else_as_usual) {
    auto other = start({"y", "--", "sh", "-c", "echo held; sleep 0.5"});
    ASSERT_TRUE(eventually([&] { return other.out() == "held\n"; }));
    EXPECT_EQ(nest({}, {"run", "-n", "y"}).code, 75);
    EXPECT_EQ(nest({}, {"run", "y"}).out, "ran\n");
    EXPECT_EQ(other.wait().code, 0);
}

} // namespace

} // namespace holdfast::test
