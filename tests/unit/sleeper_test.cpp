#include "holdfast/drive/sleeper.hpp"

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

using holdfast::drive::dormitory;
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
        std::erase_if(asleep_, [&](sleeper* who) {
            if (!this_one(random_)) { return false; }
            house_.call(*who);
            who->set(sleeper::state::ready);
            return true;
        });
        const auto calls = house_.take_calls();
        lock.unlock();
        house_.wake(calls);
    }

    [[nodiscard]] std::size_t left() const { return left_; }

private:
    void spend_the_night() {
        sleeper me;
        {
            const std::lock_guard lock{mutex_};
            house_.give_bed(me);
            asleep_.push_back(&me);
        }
        house_.sleep(me);
        EXPECT_TRUE(me.ready());
    }

    std::mutex mutex_;
    dormitory house_;
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

TEST(dormitory, wakes_whom_it_was_told_to_call) { wait_until_all_are_woken(8, 200, 0.3); }

TEST(dormitory, wakes_also_those_who_share_a_bed) {
    const auto too_many = dormitory::rows * dormitory::beds_in_row + 100;
    wait_until_all_are_woken(too_many, 5, 0.5);
}

/// A thread that sleeps, and whether the kernel says so.
class bedfellow {
public:
    bedfellow(dormitory& house, sleeper& who)
        : thread_{[this, &house, &who] {
              id_ = ::gettid();
              house.sleep(who);
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

// Whoever is woken in a row of another cpu wakes the others there.
TEST(dormitory, wakes_all_in_the_rows_of_other_cpus) {
    const on_cpu here;
    const auto cpus = here.allowed();
    guests all{64, 100};
    for (std::size_t i = 0; all.left() > 0; ++i) {
        on_cpu::go_to(cpus[i % cpus.size()]);
        all.wake_some(1);
    }
}

// The one who is woken there may be one who was not called, and goes on sleeping.
TEST(dormitory, leaves_nobody_asleep_who_shares_a_bed) {
    const on_cpu here;
    on_cpu::go_to(here.allowed().front());
    dormitory house; // when all else is full, the hall of another cpu
    std::vector<sleeper> away(dormitory::rows * dormitory::beds_in_row - 1);
    for (auto& one : away) { house.give_bed(one); }
    sleeper last; // in a bed of its own
    sleeper uncalled;
    sleeper called; // in the bed of the uncalled
    house.give_bed(last);
    house.give_bed(uncalled);
    std::vector<sleeper> between(dormitory::beds_in_row - 1);
    for (auto& one : between) { house.give_bed(one); }
    house.give_bed(called);
    // The first to lie down is the first to be woken.
    bedfellow goes_on{house, uncalled};
    goes_on.await_sleep();
    bedfellow shares{house, called};
    shares.await_sleep();
    bedfellow wakes{house, last};
    wakes.await_sleep();
    const auto call = [&](std::initializer_list<sleeper*> whom) {
        for (auto* who : whom) {
            house.call(*who);
            who->set(sleeper::state::ready);
        }
        house.wake(house.take_calls());
    };
    call({&last, &called});
    wakes.join(); // without end if nobody woke them
    shares.join();
    goes_on.await_sleep();
    call({&uncalled});
}

TEST(dormitory, lets_others_sleep) {
    dormitory house;
    sleeper one;
    sleeper other;
    house.give_bed(one);
    house.give_bed(other);
    bedfellow sleeps{house, other};
    sleeps.await_sleep();
    house.call(one);
    one.set(sleeper::state::ready);
    house.wake(house.take_calls());
    house.sleep(one);
    EXPECT_TRUE(sleeps.asleep());
    house.call(other);
    other.set(sleeper::state::ready);
    house.wake(house.take_calls());
}

} // namespace
