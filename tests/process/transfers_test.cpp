// Transfers between accounts by processes that are killed at random: no update is lost, and nobody
// waits for ever.

#include "process/process_fixture.hpp"
#include "support/environment.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <iostream>
#include <random>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t accounts = 3;
constexpr std::size_t movers = 12;
constexpr std::int64_t first_balance = 1000;
constexpr milliseconds lease_time = scaled(500ms);

/// The transfer that a process is about to make. Whoever next holds the account that the state
/// names finishes it if its process was killed: `debiting` the giver's, `crediting` the taker's.
struct intent {
    enum : int { none, debiting, crediting };
    std::atomic<int> state{none};
    std::atomic<std::size_t> from{0};
    std::atomic<std::size_t> to{0};
    std::atomic<std::int64_t> old_from{0}; ///< the balance of the giver before
    std::atomic<std::int64_t> old_to{0};   ///< of the taker; set before the state is `crediting`
};

/// In memory that all processes share. The locks alone guard it: each update is a load, a pause and
/// a store.
struct ledger {
    std::array<std::atomic<std::int64_t>, accounts> balances{};
    std::array<intent, movers> intents{};
    std::atomic<std::int64_t> transfers{0};

    /// REQUIRES: the caller holds `account`, so that its other users are dead or have finished.
    void repair(std::size_t account) {
        for (auto& each : intents) {
            const auto state = each.state.load();
            if (state == intent::debiting && each.from == account) {
                balances.at(account) = each.old_from.load(); // undone
                each.state = intent::none;
            } else if (state == intent::crediting && each.to == account) {
                balances.at(account) = each.old_to.load() + 1; // done
                each.state = intent::none;
            }
        }
    }

    /// False: the last transfer of a process in this place is not finished yet.
    template <class Valid>
    [[nodiscard]] bool move(std::size_t from, std::size_t to, intent& own, Valid valid) {
        repair(from);
        repair(to);
        if (own.state != intent::none) { return false; }
        own.from = from;
        own.to = to;
        own.old_from = balances.at(from).load();
        own.state = intent::debiting;
        std::this_thread::sleep_for(100us);
        if (!valid()) { ::_exit(1); } // others finish it
        balances.at(from) = own.old_from.load() - 1;
        own.old_to = balances.at(to).load();
        own.state = intent::crediting;
        std::this_thread::sleep_for(100us);
        if (!valid()) { ::_exit(1); }
        balances.at(to) = own.old_to.load() + 1;
        own.state = intent::none;
        ++transfers;
        return true;
    }

    [[nodiscard]] std::int64_t sum() {
        std::int64_t out = 0;
        for (std::size_t each = 0; each < accounts; ++each) {
            repair(each);
            out += balances.at(each);
        }
        return out;
    }
};

/// Never returns.
[[noreturn]] void move_for_ever(const std::string& url, ledger& book, std::size_t number,
                                unsigned seed) {
    client own{url};
    std::minstd_rand random{seed};
    const lock_options options{.lease = lease_time};
    std::array<mutex, accounts> locks{mutex{own, "account:0", options},
                                      mutex{own, "account:1", options},
                                      mutex{own, "account:2", options}};
    while (true) {
        const auto from = random() % accounts;
        const auto to = (from + 1 + random() % (accounts - 1)) % accounts;
        auto& intent = book.intents.at(number);
        if (random() % 2 == 0) {
            const scoped_lock_all both{locks.at(from), locks.at(to)};
            (void)book.move(from, to, intent,
                            [&] { return locks.at(from).valid() && locks.at(to).valid(); });
        } else {
            const auto both = acquire_all(
                own, {"account:" + std::to_string(from), "account:" + std::to_string(to)},
                {.lease = lease_time});
            (void)book.move(from, to, intent, [&] { return both.valid(); });
        }
    }
}

class transfers : public testing::TestWithParam<engine_under_test> {
protected:
    transfers() {
        void* const shared = ::mmap(nullptr, sizeof(ledger), PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (shared == MAP_FAILED) { throw std::bad_alloc{}; }
        book_ = new (shared) ledger;
        for (auto& each : book_->balances) { each = first_balance; }
    }
    ~transfers() override {
        for (std::size_t each = 0; each < movers; ++each) { kill(each); }
        ::munmap(book_, sizeof(ledger));
    }

    void start(std::size_t number) {
        const auto url = store_->url();
        const auto seed = static_cast<unsigned>(random_());
        pids_.at(number) = ::fork();
        if (pids_.at(number) != 0) { return; }
        try {
            move_for_ever(url, *book_, number, seed);
        } catch (const std::exception& failure) {
            std::cerr << "mover: " << failure.what() << std::endl;
            ::_exit(2);
        }
    }
    /// Returns its exit code, if it had ended by itself; else -1.
    int kill(std::size_t number) {
        auto& pid = pids_.at(number);
        if (pid <= 0) { return -1; }
        int status = 0;
        ::kill(pid, SIGKILL);
        ::waitpid(pid, &status, 0);
        pid = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

    std::unique_ptr<store> store_ = GetParam().make_store();
    ledger* book_ = nullptr;
    std::array<pid_t, movers> pids_{};
    const unsigned seed_ = seed_of_this_run();
    std::minstd_rand random_{seed_};
};

TEST_P(transfers, by_killed_processes_keep_the_sum_and_never_deadlock) { // P1, P7
    std::cout << "HOLDFAST_TEST_SEED=" << seed_ << std::endl;
    for (std::size_t each = 0; each < movers; ++each) { start(each); }
    const stopwatch running;
    stopwatch stuck;
    std::int64_t seen = 0;
    int kills = 0;
    while (running.elapsed() < by_run_length(3s, 20s)) {
        std::this_thread::sleep_for(milliseconds{50 + random_() % 200});
        const auto which = random_() % movers;
        EXPECT_NE(kill(which), 2) << "it failed by itself";
        ++kills;
        start(which);
        const auto now = book_->transfers.load();
        if (now > seen) { stuck = stopwatch{}; }
        seen = now;
        ASSERT_LT(stuck.elapsed(), scaled(10s)) << "nobody moves anything any more";
    }
    for (std::size_t each = 0; each < movers; ++each) { EXPECT_NE(kill(each), 2); }
    std::cout << seen << " transfers, " << kills << " kills" << std::endl;
    client own{store_->url()};
    EXPECT_TRUE(try_acquire_all_for(own, {"account:0", "account:1", "account:2"}, long_wait));
    EXPECT_EQ(book_->sum(), static_cast<std::int64_t>(accounts) * first_balance);
    EXPECT_GT(seen, kills);
}

HOLDFAST_ON_SHARED_ENGINES(transfers);

} // namespace
} // namespace holdfast::test
