#include "holdfast/drive/futex_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <mutex>
#include <random>
#include <sched.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using holdfast::drive::futex_pool;
using holdfast::drive::sleeper;

/// Threads that sleep again and again, and a list of who sleeps.
class guests {
public:
    guests(std::size_t many, int nights) : left_{many} {
        for (std::size_t i = 0; i < many; ++i) {
            threads_.emplace_back([this, nights] {
                for (int night = 0; night < nights; ++night) { spend_the_night(); }
                --left_;
            });
        }
    }

    /// Wakes each with this probability.
    void wake_some(double chance) {
        std::unique_lock lock{mutex_};
        std::bernoulli_distribution this_one{chance};
        std::erase_if(asleep_, [&](sleeper* sleeper) {
            if (!this_one(random_)) { return false; }
            pool_.call(*sleeper);
            sleeper->set(sleeper::state::ready);
            return true;
        });
        const auto calls = pool_.take_calls();
        lock.unlock();
        pool_.wake(calls);
    }

    [[nodiscard]] std::size_t left() const { return left_; }

private:
    void spend_the_night() {
        sleeper me;
        {
            const std::lock_guard lock{mutex_};
            pool_.assign_slot(me);
            asleep_.push_back(&me);
        }
        pool_.sleep(me);
        EXPECT_TRUE(me.ready());
    }

    std::mutex mutex_;
    futex_pool pool_;
    std::vector<sleeper*> asleep_;
    std::mt19937 random_{3}; // NOLINT(bugprone-random-generator-seed): the same each time
    std::atomic<std::size_t> left_;
    std::vector<std::jthread> threads_; // last: it uses the others
};

/// Without end if somebody is not.
void wait_until_all_are_woken(std::size_t many, int nights, double chance) {
    guests all{many, nights};
    while (all.left() > 0) {
        all.wake_some(chance);
        std::this_thread::yield();
    }
}

TEST(futex_pool, wakes_whom_it_was_told_to_call) { wait_until_all_are_woken(8, 200, 0.3); }

TEST(futex_pool, wakes_also_those_who_share_a_slot) {
    const auto too_many = futex_pool::groups * futex_pool::slots_per_group + 100;
    wait_until_all_are_woken(too_many, 5, 0.5);
}

/// A thread that sleeps, and whether the kernel says so.
class sleeping_thread {
public:
    sleeping_thread(futex_pool& pool, sleeper& sleeper)
        : thread_{[this, &pool, &sleeper] {
              id_ = ::gettid();
              pool.sleep(sleeper);
          }} {}

    void await_sleep() const {
        while (!asleep()) { std::this_thread::yield(); }
    }
    [[nodiscard]] bool asleep() const {
        std::ifstream file{"/proc/self/task/" + std::to_string(id_) + "/stat"};
        std::string text;
        std::getline(file, text);
        const auto name_end = text.rfind(')');
        return name_end != std::string::npos && text.at(name_end + 2) == 'S';
    }
    void join() { thread_.join(); }

private:
    std::atomic<pid_t> id_{0};
    std::jthread thread_;
};

/// Where this thread may run; undone in the end.
class on_cpu {
public:
    on_cpu() { EXPECT_EQ(::sched_getaffinity(0, sizeof before_, &before_), 0); }
    on_cpu(const on_cpu&) = delete;
    on_cpu& operator=(const on_cpu&) = delete;
    ~on_cpu() { EXPECT_EQ(::sched_setaffinity(0, sizeof before_, &before_), 0); }

    [[nodiscard]] std::vector<std::size_t> allowed() const {
        std::vector<std::size_t> out;
        for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
            if (CPU_ISSET(cpu, &before_)) { out.push_back(cpu); }
        }
        return out;
    }
    static void go_to(std::size_t cpu) {
        cpu_set_t only{};
        CPU_SET(cpu, &only);
        EXPECT_EQ(::sched_setaffinity(0, sizeof only, &only), 0);
    }

private:
    cpu_set_t before_{};
};

// Whoever is woken in a group of another cpu wakes the others there.
TEST(futex_pool, wakes_all_in_the_groups_of_other_cpus) {
    const on_cpu here;
    const auto cpus = here.allowed();
    guests all{64, 100};
    for (std::size_t i = 0; all.left() > 0; ++i) {
        on_cpu::go_to(cpus[i % cpus.size()]);
        all.wake_some(1);
    }
}

// The one who is woken there may be one who was not called, and goes on sleeping.
TEST(futex_pool, leaves_nobody_asleep_who_shares_a_slot) {
    const on_cpu here;
    on_cpu::go_to(here.allowed().front());
    futex_pool pool; // when all else is full, a group of another cpu
    std::vector<sleeper> away(futex_pool::groups * futex_pool::slots_per_group - 1);
    for (auto& one : away) { pool.assign_slot(one); }
    sleeper last; // in a slot of its own
    sleeper uncalled;
    sleeper called; // in the slot of the uncalled
    pool.assign_slot(last);
    pool.assign_slot(uncalled);
    std::vector<sleeper> between(futex_pool::slots_per_group - 1);
    for (auto& one : between) { pool.assign_slot(one); }
    pool.assign_slot(called);
    // The first to lie down is the first to be woken.
    sleeping_thread goes_on{pool, uncalled};
    goes_on.await_sleep();
    sleeping_thread shares{pool, called};
    shares.await_sleep();
    sleeping_thread wakes{pool, last};
    wakes.await_sleep();
    const auto call = [&](std::initializer_list<sleeper*> whom) {
        for (auto* sleeper : whom) {
            pool.call(*sleeper);
            sleeper->set(sleeper::state::ready);
        }
        pool.wake(pool.take_calls());
    };
    call({&last, &called});
    wakes.join(); // without end if nobody woke them
    shares.join();
    goes_on.await_sleep();
    call({&uncalled});
}

TEST(futex_pool, lets_others_sleep) {
    futex_pool pool;
    sleeper one;
    sleeper other;
    pool.assign_slot(one);
    pool.assign_slot(other);
    sleeping_thread sleeps{pool, other};
    sleeps.await_sleep();
    pool.call(one);
    one.set(sleeper::state::ready);
    pool.wake(pool.take_calls());
    pool.sleep(one);
    EXPECT_TRUE(sleeps.asleep());
    pool.call(other);
    other.set(sleeper::state::ready);
    pool.wake(pool.take_calls());
}

} // namespace
