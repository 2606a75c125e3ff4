// If any process of `holdfast run` is killed or stopped, two guarded commands never run at once
// (P1, P2), and the next waiter is granted the lock (P7).

#include "cli/guarded_fixture.hpp"

#include <algorithm>
#include <csignal>
#include <tuple>

namespace holdfast::test {

namespace {

const words short_lease{"--lease", "1500ms", "--grace", "200ms", "-q"};

/// The lease, plus time for a busy machine.
constexpr auto soon = 1500ms + long_wait;

enum class victim { front, guardian, child };

std::string name_of(worker_kind kind) {
    switch (kind) {
    case worker_kind::plain: return "plain";
    case worker_kind::grandchild: return "grandchild";
    case worker_kind::own_session: return "own_session";
    case worker_kind::ignores_signals: return "ignores_signals";
    case worker_kind::double_forked: return "double_forked";
    case worker_kind::daemon: return "daemon";
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

class killed_process : public guarded,
                       public ::testing::WithParamInterface<std::tuple<victim, worker_kind>> {
protected:
    static pid_t find(victim victim, const running_command& front) {
        if (victim == victim::front) { return front.pid(); }
        const auto guardian = guardian_of(front.pid());
        if (victim == victim::guardian) { return guardian; }
        const auto all = all_processes();
        const auto child = std::find_if(all.begin(), all.end(), [&](const auto& process) {
            return process.parent == guardian;
        });
        return child == all.end() ? 0 : child->pid;
    }
};

TEST_P(killed_process, lets_the_next_command_run_alone) {
    const auto [victim, kind] = GetParam();
    auto first = start_worker(kind, short_lease);
    const auto token = token_above(0);
    ASSERT_NE(token, 0U) << first.err();
    auto second = start_worker(kind, short_lease);
    ASSERT_TRUE(eventually([&] { return has_waiters("x", 1); }));
    ASSERT_TRUE(keeps_writing());
    const auto target = find(victim, first);
    ASSERT_NE(target, 0);

    ::kill(target, SIGKILL);

    EXPECT_NE(token_above(token, soon), 0U) << "the next one does not run";
    EXPECT_TRUE(keeps_writing());
    const auto end = first.wait();
    if (victim == victim::guardian) { EXPECT_EQ(end.code, 76) << end.err; }
    if (victim == victim::child) { EXPECT_EQ(end.code, 137) << end.err; }
    second.signal(SIGKILL);
    EXPECT_EQ(sandbox_.left_over(), "");
    EXPECT_EQ(violation(), "");
}

INSTANTIATE_TEST_SUITE_P(
    cli, killed_process,
    ::testing::Combine(::testing::Values(victim::front, victim::guardian, victim::child),
                       ::testing::Values(worker_kind::plain, worker_kind::grandchild,
                                         worker_kind::own_session, worker_kind::ignores_signals,
                                         worker_kind::double_forked)),
    [](const auto& test) {
        return name_of(std::get<0>(test.param)) + "_of_" + name_of(std::get<1>(test.param));
    });

class stopped_guardian : public guarded, public ::testing::WithParamInterface<worker_kind> {};

TEST_P(stopped_guardian, is_replaced_by_the_front_before_the_lease_expires) {
    // The front must run within the lease's margin, a twentieth of the lease: hence a longer one.
    const words options{"--lease", "4s", "--grace", "200ms", "-q"};
    auto first = start_worker(GetParam(), options);
    const auto token = token_above(0);
    ASSERT_NE(token, 0U);
    auto second = start_worker(GetParam(), options);
    ASSERT_TRUE(eventually([&] { return has_waiters("x", 1); }));
    const auto guardian = guardian_of(first.pid());
    ::kill(guardian, SIGSTOP);
    EXPECT_NE(token_above(token, 4s + soon), 0U);
    ::kill(guardian, SIGCONT);
    EXPECT_EQ(first.wait().code, 76);
    EXPECT_TRUE(keeps_writing());
    second.signal(SIGKILL);
    EXPECT_EQ(sandbox_.left_over(), "");
    EXPECT_EQ(violation(), "");
}

INSTANTIATE_TEST_SUITE_P(cli, stopped_guardian,
                         ::testing::Values(worker_kind::plain, worker_kind::grandchild,
                                           worker_kind::own_session, worker_kind::ignores_signals),
                         [](const auto& test) { return "of_" + name_of(test.param); });

class process_tree : public guarded {};

TEST_F(process_tree, a_daemon_of_the_command_is_ended_before_the_next_command_starts) {
    auto first = start_worker(worker_kind::daemon, {"--lease", "5s", "--grace", "1s", "-q"});
    const auto token = token_above(0);
    ASSERT_NE(token, 0U);
    auto second = start_worker(worker_kind::plain, {"-q"});
    ASSERT_NE(token_above(token), 0U);
    EXPECT_EQ(first.wait().code, 0);
    EXPECT_TRUE(keeps_writing());
    second.signal(SIGKILL);
    EXPECT_EQ(sandbox_.left_over(), "");
    EXPECT_EQ(violation(), "");
}

TEST_F(process_tree, a_daemon_is_ended_even_if_the_guardian_is_killed) {
    auto first = start_worker(worker_kind::daemon, {"--lease", "5s", "--grace", "1s", "-q"});
    ASSERT_NE(token_above(0), 0U);
    ::kill(guardian_of(first.pid()), SIGKILL);
    EXPECT_EQ(first.wait().code, 76);
    EXPECT_EQ(sandbox_.left_over(), "");
}

TEST_F(process_tree, a_stopped_front_changes_nothing) {
    auto first = start_worker(worker_kind::plain, short_lease);
    const auto token = token_above(0);
    ASSERT_NE(token, 0U);
    auto second = start_worker(worker_kind::plain, short_lease);
    first.signal(SIGSTOP);
    EXPECT_TRUE(throughout(3s, [&] { return tokens().back() == token; })) << "it is still held";
    EXPECT_TRUE(keeps_writing());
    first.signal(SIGCONT);
    EXPECT_TRUE(keeps_writing());
    EXPECT_EQ(tokens().back(), token);
    first.signal(SIGTERM);
    EXPECT_EQ(first.wait().code, 143);
    EXPECT_NE(token_above(token), 0U);
    second.signal(SIGKILL);
    EXPECT_EQ(sandbox_.left_over(), "");
    EXPECT_EQ(violation(), "");
}

TEST_F(process_tree, a_stopped_command_is_ended_with_its_lease) {
    // max_hold ends the lease although the guardian renews it.
    auto first = start_worker(worker_kind::plain, {"--max-hold", "1500ms", "-q"});
    ASSERT_NE(token_above(0), 0U);
    const auto guardian = guardian_of(first.pid());
    for (const auto& process : all_processes()) {
        if (process.parent == guardian) { ::kill(process.pid, SIGSTOP); }
    }
    EXPECT_EQ(first.wait().code, 76);
    EXPECT_EQ(sandbox_.left_over(), "");
}

} // namespace

} // namespace holdfast::test
