// Waiters of `holdfast run` that are killed or stopped, and many that are killed at random.

#include "cli/guarded.hpp"
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
    ASSERT_TRUE(eventually([&] { return waiters_are("x", 1); }));
    waiter.signal(SIGKILL); // the front: its guardian withdraws
    EXPECT_TRUE(eventually([&] { return waiters_are("x", 0); }));
    EXPECT_EQ(waiter.wait().code, 137);
    auto other = start({"-q", "x", "--", "true"});
    ASSERT_TRUE(eventually([&] { return waiters_are("x", 1); }));
    ::kill(guardian_of(other.pid()), SIGKILL);
    EXPECT_EQ(other.wait().code, 76);
    EXPECT_TRUE(eventually([&] { return waiters_are("x", 0); }));
}

TEST_F(killed_waiters, are_not_given_the_lock_for_a_whole_lease) {
    auto holder = hold("x", {"--lease", "1m"});
    auto dead = contend(shape::plain, {"-q", "--lease", "1m"});
    ASSERT_TRUE(eventually([&] { return waiters_are("x", 1); }));
    auto next = contend(shape::plain, {"-q", "--lease", "1m"});
    ASSERT_TRUE(eventually([&] { return waiters_are("x", 2); }));
    const auto guardian = guardian_of(dead.pid());
    ::kill(dead.pid(), SIGSTOP); // so that it cannot see its guardian die
    ::kill(guardian, SIGKILL);
    ::kill(dead.pid(), SIGKILL);
    holder.signal(SIGTERM);
    EXPECT_NE(token_above(0), 0U) << "the next waits for somebody who is dead";
}

TEST_F(killed_waiters, that_were_stopped_past_their_turn_do_not_run) {
    const words options{"-q", "--lease", "1s", "--grace", "100ms"};
    auto holder = hold("x", options);
    auto late = contend(shape::plain, options);
    ASSERT_TRUE(eventually([&] { return waiters_are("x", 1); }));
    auto next = contend(shape::plain, options);
    ASSERT_TRUE(eventually([&] { return waiters_are("x", 2); }));
    const auto guardian = guardian_of(late.pid());
    ::kill(guardian, SIGSTOP);
    holder.signal(SIGTERM); // hands the lock to one who sleeps
    const auto token = token_above(0);
    ASSERT_NE(token, 0U);
    EXPECT_TRUE(goes_on());
    ::kill(guardian, SIGCONT);
    EXPECT_TRUE(throughout(500ms, [&] { return tokens().back() == token; }));
    EXPECT_EQ(violation(), "");
    next.signal(SIGTERM);
    EXPECT_EQ(next.wait().code, 143);
    EXPECT_NE(token_above(token), 0U) << "it is still a waiter, and has its turn in the end";
    late.signal(SIGTERM);
    EXPECT_EQ(here.left_over(), "");
    EXPECT_EQ(violation(), "");
}

/// Kills and stops whatever a scene has started, at random; but never both the front and the
/// guardian of one run: then nobody would be left to end its command.
class killer {
public:
    explicit killer(const scene& where) : where_{where} {}

    void strike() {
        const auto all = targets();
        if (all.empty()) { return; }
        const auto& one = all[up_to(all.size())];
        for (const auto& other : all) {
            if (other.parent == one.pid || other.pid == one.parent) { spared_.insert(other.pid); }
        }
        const bool stop = up_to(4) == 0;
        ::kill(one.pid, stop ? SIGSTOP : SIGKILL);
        std::this_thread::sleep_for(milliseconds{stop ? up_to(3'500) : up_to(100)});
        ::kill(one.pid, SIGCONT);
    }

private:
    std::vector<process> targets() {
        auto all = where_.processes();
        std::erase_if(all, [&](const auto& one) {
            return one.name == "bash" || one.name == "sleep" || spared_.contains(one.pid);
        });
        return all;
    }
    std::size_t up_to(std::size_t n) {
        return std::uniform_int_distribution<std::size_t>{0, n - 1}(chance_);
    }

    const scene& where_;
    std::set<pid_t> spared_;
    std::mt19937 chance_{std::random_device{}()};
};

// A stopped guardian is the front's to replace within the lease's margin, a twentieth of it: on a
// busy machine that wants a lease of some seconds.
TEST_F(killed_waiters, and_holders_at_random_never_run_two_at_once) {
    here.write("again", "while [ ! -e stop ]; do \"$@\"; done 2>/dev/null\n");
    const words options{"-q", "--lease", "3s", "--grace", "100ms", "x", "--"};
    std::vector<running> contenders;
    for (const auto shape : {shape::plain, shape::grandchild, shape::own_session, shape::deaf}) {
        words all{"bash", "again"};
        for (const auto& one : run_words(options)) { all.push_back(one); }
        for (const auto& one : worker(shape)) { all.push_back(one); }
        contenders.push_back(here.start(all));
    }
    ASSERT_NE(token_above(0), 0U);
    killer at_random{here};
    const auto holders = [&] {
        const auto all = tokens();
        return std::set(all.begin(), all.end()).size();
    };
    const milliseconds length = by_run_length(4s, 12s);
    for (const stopwatch watch; watch.elapsed() < length || // longer where there is much else to do
                                (watch.elapsed() < 40s && holders() <= 2);) {
        at_random.strike();
    }
    here.write("stop", "");
    EXPECT_EQ(violation(), "");
    EXPECT_GT(holders(), 2U) << "others had their turn";
    for (const auto& one : here.processes()) {
        if (one.name == "holdfast") { ::kill(one.pid, SIGKILL); }
    }
    EXPECT_EQ(here.left_over(), "");
    EXPECT_EQ(violation(), "");
    EXPECT_EQ(run({"-w", "10s", "x", "--", "true"}).code, 0);
}

} // namespace

} // namespace holdfast::test
