// Waiters of `holdfast run` that are killed or stopped; waiters and holders killed at random.

#include "cli/guarded_fixture.hpp"
#include "support/environment.hpp"

#include <csignal>
#include <random>
#include <set>

namespace holdfast::test {

namespace {

class killed_waiters : public guarded {};

TEST_F(killed_waiters, leave_no_queue_entry) {
    const auto holder = hold("x");
    auto waiter = start({"-q", "x", "--", "true"});
    ASSERT_TRUE(eventually([&] { return has_waiters("x", 1); }));
    waiter.signal(SIGKILL); // the front: its guardian withdraws
    EXPECT_TRUE(eventually([&] { return has_waiters("x", 0); }));
    EXPECT_EQ(waiter.wait().code, 137);
    auto other = start({"-q", "x", "--", "true"});
    ASSERT_TRUE(eventually([&] { return has_waiters("x", 1); }));
    ::kill(guardian_of(other.pid()), SIGKILL);
    EXPECT_EQ(other.wait().code, 76);
    EXPECT_TRUE(eventually([&] { return has_waiters("x", 0); }));
}

TEST_F(killed_waiters, are_not_granted_the_lock_for_a_whole_lease) {
    auto holder = hold("x", {"--lease", "1m"});
    auto dead = start_worker(worker_kind::plain, {"-q", "--lease", "1m"});
    ASSERT_TRUE(eventually([&] { return has_waiters("x", 1); }));
    auto next = start_worker(worker_kind::plain, {"-q", "--lease", "1m"});
    ASSERT_TRUE(eventually([&] { return has_waiters("x", 2); }));
    const auto guardian = guardian_of(dead.pid());
    ::kill(dead.pid(), SIGSTOP); // so that it cannot see its guardian die
    ::kill(guardian, SIGKILL);
    ::kill(dead.pid(), SIGKILL);
    holder.signal(SIGTERM);
    EXPECT_NE(token_above(0), 0U) << "the next one waits for a dead process";
}

TEST_F(killed_waiters, that_were_stopped_until_their_grant_expired_do_not_run) {
    const words options{"-q", "--lease", "1s", "--grace", "100ms"};
    auto holder = hold("x", options);
    auto late = start_worker(worker_kind::plain, options);
    ASSERT_TRUE(eventually([&] { return has_waiters("x", 1); }));
    auto next = start_worker(worker_kind::plain, options);
    ASSERT_TRUE(eventually([&] { return has_waiters("x", 2); }));
    const auto guardian = guardian_of(late.pid());
    ::kill(guardian, SIGSTOP);
    holder.signal(SIGTERM); // hands the lock off to the stopped waiter
    const auto token = token_above(0);
    ASSERT_NE(token, 0U);
    EXPECT_TRUE(keeps_writing());
    ::kill(guardian, SIGCONT);
    EXPECT_TRUE(throughout(500ms, [&] { return tokens().back() == token; }));
    EXPECT_EQ(violation(), "");
    next.signal(SIGTERM);
    EXPECT_EQ(next.wait().code, 143);
    EXPECT_NE(token_above(token), 0U) << "it waits again, and is granted the lock in the end";
    late.signal(SIGTERM);
    EXPECT_EQ(sandbox_.left_over(), "");
    EXPECT_EQ(violation(), "");
}

/// Kills and stops random processes of a sandbox, but never both the front and the guardian of a
/// run: then no process would be left to end its command.
class random_killer {
public:
    explicit random_killer(const sandbox& sandbox) : sandbox_{sandbox} {}

    void kill_or_stop() {
        const auto all = targets();
        if (all.empty()) { return; }
        const auto& target = all[random_below(all.size())];
        for (const auto& other : all) {
            if (other.parent == target.pid || other.pid == target.parent) {
                spared_.insert(other.pid);
            }
        }
        const bool stop = random_below(4) == 0;
        ::kill(target.pid, stop ? SIGSTOP : SIGKILL);
        std::this_thread::sleep_for(milliseconds{stop ? random_below(3'500) : random_below(100)});
        ::kill(target.pid, SIGCONT);
    }

private:
    std::vector<process> targets() {
        auto all = sandbox_.processes();
        std::erase_if(all, [&](const auto& process) {
            return process.name == "bash" || process.name == "sleep" ||
                   spared_.contains(process.pid);
        });
        return all;
    }
    std::size_t random_below(std::size_t n) {
        return std::uniform_int_distribution<std::size_t>{0, n - 1}(random_);
    }

    const sandbox& sandbox_;
    std::set<pid_t> spared_;
    std::mt19937 random_{std::random_device{}()};
};

// The front must notice a stopped guardian within the lease's margin, a twentieth of the lease: on
// a busy machine that takes a lease of some seconds.
TEST_F(killed_waiters, and_holders_at_random_never_run_two_at_once) {
    sandbox_.write("repeat", "while [ ! -e stop ]; do \"$@\"; done 2>/dev/null\n");
    const words options{"-q", "--lease", "3s", "--grace", "100ms", "x", "--"};
    std::vector<running_command> contenders;
    for (const auto kind : {worker_kind::plain, worker_kind::grandchild, worker_kind::own_session,
                            worker_kind::ignores_signals}) {
        words all{"bash", "repeat"};
        for (const auto& word : run_words(options)) { all.push_back(word); }
        for (const auto& word : worker_words(kind)) { all.push_back(word); }
        contenders.push_back(sandbox_.start(all));
    }
    ASSERT_NE(token_above(0), 0U);
    random_killer killer{sandbox_};
    const auto holders = [&] {
        const auto all = tokens();
        return std::set(all.begin(), all.end()).size();
    };
    const milliseconds length = by_run_length(4s, 12s);
    for (const stopwatch watch; watch.elapsed() < length || // longer on a busy machine
                                (watch.elapsed() < 40s && holders() <= 2);) {
        killer.kill_or_stop();
    }
    sandbox_.write("stop", "");
    EXPECT_EQ(violation(), "");
    EXPECT_GT(holders(), 2U) << "the lock changed hands";
    for (const auto& process : sandbox_.processes()) {
        if (process.name == "holdfast") { ::kill(process.pid, SIGKILL); }
    }
    EXPECT_EQ(sandbox_.left_over(), "");
    EXPECT_EQ(violation(), "");
    EXPECT_EQ(run({"-w", "10s", "x", "--", "true"}).code, 0);
}

} // namespace

} // namespace holdfast::test
