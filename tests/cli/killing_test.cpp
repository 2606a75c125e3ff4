// Never two guarded commands at once, whoever is killed or stopped (P1, P2), and the next one gets
// its turn (P7).

#include "cli/guarded.hpp"

#include <algorithm>
#include <csignal>
#include <tuple>

namespace holdfast::test {

namespace {

const words short_lease{"--lease", "1500ms", "--grace", "200ms", "-q"};

/// Lease, and what a busy machine needs beside.
constexpr auto soon = 1500ms + long_wait;

enum class victim { front, guardian, child };

std::string name_of(shape shape) {
    switch (shape) {
    case shape::plain: return "plain";
    case shape::grandchild: return "grandchild";
    case shape::own_session: return "own_session";
    case shape::deaf: return "deaf";
    case shape::double_forked: return "double_forked";
    case shape::daemon: return "daemon";
    }
    return "?";
}

std::string name_of(victim victim) {
    switch (victim) {
    case victim::front: return "front";
    case victim::guardian: return "guardian";
    case victim::child: return "child";
    }
    return "?";
}

class kill_one : public guarded, public ::testing::WithParamInterface<std::tuple<victim, shape>> {
protected:
    static pid_t find(victim victim, const running& front) {
        if (victim == victim::front) { return front.pid(); }
        const auto guardian = guardian_of(front.pid());
        if (victim == victim::guardian) { return guardian; }
        const auto all = all_processes();
        const auto child = std::find_if(all.begin(), all.end(),
                                        [&](const auto& one) { return one.parent == guardian; });
        return child == all.end() ? 0 : child->pid;
    }
};

TEST_P(kill_one, and_the_next_has_its_turn_alone) {
    const auto [who, how] = GetParam();
    auto first = contend(how, short_lease);
    const auto one = token_above(0);
    ASSERT_NE(one, 0U) << first.err();
    auto second = contend(how, short_lease);
    ASSERT_TRUE(eventually([&] { return waiters_are("x", 1); }));
    ASSERT_TRUE(goes_on());
    const auto target = find(who, first);
    ASSERT_NE(target, 0);

    ::kill(target, SIGKILL);

    const auto two = token_above(one, soon);
    EXPECT_NE(two, 0U) << "the next does not get its turn";
    EXPECT_TRUE(goes_on());
    const auto end = first.wait();
    if (who == victim::guardian) { EXPECT_EQ(end.code, 76) << end.err; }
    if (who == victim::child) { EXPECT_EQ(end.code, 137) << end.err; }
    second.signal(SIGKILL);
    EXPECT_EQ(here.left_over(), "");
    EXPECT_EQ(violation(), "");
}

INSTANTIATE_TEST_SUITE_P(
    cli, kill_one,
    ::testing::Combine(::testing::Values(victim::front, victim::guardian, victim::child),
                       ::testing::Values(shape::plain, shape::grandchild, shape::own_session,
                                         shape::deaf, shape::double_forked)),
    [](const auto& of) {
        return name_of(std::get<0>(of.param)) + "_of_" + name_of(std::get<1>(of.param));
    });

class stop_guardian : public guarded, public ::testing::WithParamInterface<shape> {};

TEST_P(stop_guardian, and_the_front_ends_the_command_before_the_lease_is_over) {
    // The front must be scheduled within the lease's margin, a twentieth: hence a longer one.
    const words options{"--lease", "4s", "--grace", "200ms", "-q"};
    auto first = contend(GetParam(), options);
    const auto one = token_above(0);
    ASSERT_NE(one, 0U);
    auto second = contend(GetParam(), options);
    ASSERT_TRUE(eventually([&] { return waiters_are("x", 1); }));
    const auto guardian = guardian_of(first.pid());
    ::kill(guardian, SIGSTOP);
    EXPECT_NE(token_above(one, 4s + soon), 0U);
    ::kill(guardian, SIGCONT);
    EXPECT_EQ(first.wait().code, 76);
    EXPECT_TRUE(goes_on());
    second.signal(SIGKILL);
    EXPECT_EQ(here.left_over(), "");
    EXPECT_EQ(violation(), "");
}

INSTANTIATE_TEST_SUITE_P(cli, stop_guardian,
                         ::testing::Values(shape::plain, shape::grandchild, shape::own_session,
                                           shape::deaf),
                         [](const auto& of) { return "of_" + name_of(of.param); });

class killing : public guarded {};

TEST_F(killing, a_daemon_that_the_command_left_is_ended_before_the_next_begins) {
    auto first = contend(shape::daemon, {"--lease", "5s", "--grace", "1s", "-q"});
    const auto one = token_above(0);
    ASSERT_NE(one, 0U);
    auto second = contend(shape::plain, {"-q"});
    ASSERT_NE(token_above(one), 0U);
    EXPECT_EQ(first.wait().code, 0);
    EXPECT_TRUE(goes_on());
    second.signal(SIGKILL);
    EXPECT_EQ(here.left_over(), "");
    EXPECT_EQ(violation(), "");
}

TEST_F(killing, a_daemon_is_ended_also_if_the_guardian_is_killed_while_it_waits_for_it) {
    auto first = contend(shape::daemon, {"--lease", "5s", "--grace", "1s", "-q"});
    ASSERT_NE(token_above(0), 0U);
    ::kill(guardian_of(first.pid()), SIGKILL);
    EXPECT_EQ(first.wait().code, 76);
    EXPECT_EQ(here.left_over(), "");
}

TEST_F(killing, a_stopped_front_changes_nothing) {
    auto first = contend(shape::plain, short_lease);
    const auto one = token_above(0);
    ASSERT_NE(one, 0U);
    auto second = contend(shape::plain, short_lease);
    first.signal(SIGSTOP);
    EXPECT_TRUE(throughout(3s, [&] { return tokens().back() == one; })) << "it is still held";
    EXPECT_TRUE(goes_on());
    first.signal(SIGCONT);
    EXPECT_TRUE(goes_on());
    EXPECT_EQ(tokens().back(), one);
    first.signal(SIGTERM);
    EXPECT_EQ(first.wait().code, 143);
    EXPECT_NE(token_above(one), 0U);
    second.signal(SIGKILL);
    EXPECT_EQ(here.left_over(), "");
    EXPECT_EQ(violation(), "");
}

TEST_F(killing, a_stopped_command_is_ended_with_its_lease) {
    // The guardian cannot renew a lease that an operator or a short max-hold ends.
    auto first = contend(shape::plain, {"--max-hold", "1500ms", "-q"});
    ASSERT_NE(token_above(0), 0U);
    const auto guardian = guardian_of(first.pid());
    for (const auto& one : all_processes()) {
        if (one.parent == guardian) { ::kill(one.pid, SIGSTOP); }
    }
    EXPECT_EQ(first.wait().code, 76);
    EXPECT_EQ(here.left_over(), "");
}

} // namespace

} // namespace holdfast::test
