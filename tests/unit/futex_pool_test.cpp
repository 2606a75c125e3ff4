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

/// Threads that sleep `rounds` times each, and a list of the sleepers.
class sleeping_threads {
public:
    sleeping_threads(std::size_t count, int rounds) : running_{count} {
        for (std::size_t i = 0; i < count; ++i) {
            threads_.emplace_back([this, rounds] {
                for (int round = 0; round < rounds; ++round) { sleep_once(); }
                --running_;
            });
        }
    }

    /// Wakes each sleeper with this probability.
    void wake_some(double chance) {
        std::unique_lock lock{mutex_};
        std::bernoulli_distribution chosen{chance};
        std::erase_if(asleep_, [&](sleeper* sleeper) {
            if (!chosen(random_)) { return false; }
            pool_.call(*sleeper);
            sleeper->set(sleeper::state::ready);
            return true;
        });
        const auto calls = pool_.take_calls();
        lock.unlock();
        pool_.wake(calls);
    }

    [[nodiscard]] std::size_t running() const { return running_; }

private:
    void sleep_once() {
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
    std::atomic<std::size_t> running_;
    std::vector<std::jthread> threads_; // last: it uses the others
};

/// Hangs if a thread is not woken.
void wait_until_all_are_woken(std::size_t count, int rounds, double chance) {
    sleeping_threads all{count, rounds};
    while (all.running() > 0) {
        all.wake_some(chance);
        std::this_thread::yield();
    }
}

TEST(futex_pool, wakes_the_called_sleepers) { wait_until_all_are_woken(8, 200, 0.3); }

TEST(futex_pool, wakes_sleepers_that_share_a_slot) {
    const auto too_many = futex_pool::groups * futex_pool::slots_per_group + 100;
    wait_until_all_are_woken(too_many, 5, 0.5);
}

/// A thread that sleeps in the pool, and its state in the kernel.
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

/// The cpus on which this thread may run; the destructor restores them.
class cpu_affinity {
public:
    cpu_affinity() { EXPECT_EQ(::sched_getaffinity(0, sizeof before_, &before_), 0); }
    cpu_affinity(const cpu_affinity&) = delete;
    cpu_affinity& operator=(const cpu_affinity&) = delete;
    ~cpu_affinity() { EXPECT_EQ(::sched_setaffinity(0, sizeof before_, &before_), 0); }

    [[nodiscard]] std::vector<std::size_t> allowed() const {
        std::vector<std::size_t> out;
        for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
            if (CPU_ISSET(cpu, &before_)) { out.push_back(cpu); }
        }
        return out;
    }
    static void pin_to(std::size_t cpu) {
        cpu_set_t only{};
        CPU_SET(cpu, &only);
        EXPECT_EQ(::sched_setaffinity(0, sizeof only, &only), 0);
    }

private:
    cpu_set_t before_{};
};

// In a group of another cpu, the first woken thread wakes the others.
TEST(futex_pool, wakes_all_in_the_groups_of_other_cpus) {
    const cpu_affinity affinity;
    const auto cpus = affinity.allowed();
    sleeping_threads all{64, 100};
    for (std::size_t i = 0; all.running() > 0; ++i) {
        cpu_affinity::pin_to(cpus[i % cpus.size()]);
        all.wake_some(1);
    }
}

// The kernel may wake the thread that shares the slot and was not called; it sleeps again.
TEST(futex_pool, wakes_a_called_sleeper_that_shares_a_slot_on_another_cpu) {
    const cpu_affinity affinity;
    cpu_affinity::pin_to(affinity.allowed().front());
    futex_pool pool; // when all else is full, a group of another cpu
    std::vector<sleeper> fillers(futex_pool::groups * futex_pool::slots_per_group - 1);
    for (auto& filler : fillers) { pool.assign_slot(filler); }
    sleeper last; // in a slot of its own
    sleeper uncalled;
    sleeper called; // in the slot of the uncalled
    pool.assign_slot(last);
    pool.assign_slot(uncalled);
    std::vector<sleeper> between(futex_pool::slots_per_group - 1);
    for (auto& filler : between) { pool.assign_slot(filler); }
    pool.assign_slot(called);
    // The kernel wakes the thread first that slept first.
    sleeping_thread goes_on{pool, uncalled};
    goes_on.await_sleep();
    sleeping_thread shares{pool, called};
    shares.await_sleep();
    sleeping_thread wakes{pool, last};
    wakes.await_sleep();
    const auto call = [&](std::initializer_list<sleeper*> sleepers) {
        for (auto* sleeper : sleepers) {
            pool.call(*sleeper);
            sleeper->set(sleeper::state::ready);
        }
        pool.wake(pool.take_calls());
    };
    call({&last, &called});
    wakes.join(); // hangs if nobody woke them
    shares.join();
    goes_on.await_sleep();
    call({&uncalled});
}

TEST(futex_pool, does_not_wake_sleepers_that_were_not_called) {
    futex_pool pool;
    sleeper first;
    sleeper second;
    pool.assign_slot(first);
    pool.assign_slot(second);
    sleeping_thread sleeps{pool, second};
    sleeps.await_sleep();
    pool.call(first);
    first.set(sleeper::state::ready);
    pool.wake(pool.take_calls());
    pool.sleep(first);
    EXPECT_TRUE(sleeps.asleep());
    pool.call(second);
    second.set(sleeper::state::ready);
    pool.wake(pool.take_calls());
}

} // namespace
