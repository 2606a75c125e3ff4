#include "cli/demo_sale.hpp"

#include "holdfast/base/fd.hpp"

#include <holdfast/holdfast.hpp>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

namespace holdfast::cli {

namespace {

using namespace std::chrono_literals;

[[noreturn]] void fail(const char* action) {
    throw std::system_error{errno, std::generic_category(), action};
}

/// What every shop does: look, think, write.
bool sell_one(demo_board& board) {
    const int left = board.stock;
    if (left <= 0) { return false; }
    std::this_thread::sleep_for(200us);
    board.stock = left - 1;
    ++board.sold;
    return true;
}

void sell(const sale& sale, demo_board& board) {
    if (!sale.locked) {
        while (sell_one(board)) {}
        return;
    }
    auto fleet = sale.where.open();
    mutex stock{fleet, sale.name, {.note = "holdfast demo"}};
    for (;;) {
        const std::scoped_lock hold{stock};
        if (stock.token() <= board.last_token.exchange(stock.token())) {
            board.tokens_in_order = false;
        }
        if (!sell_one(board)) { return; }
    }
}

/// Runs `work` in a child that does not outlive us.
template <class Work>
pid_t in_child(Work work) {
    const auto parent = ::getpid();
    const auto child = ::fork();
    if (child < 0) { fail("cannot fork"); }
    if (child != 0) { return child; }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) { ::_exit(1); }
    int code = 1;
    try {
        work();
        code = 0;
    } catch (const std::exception&) {}
    ::_exit(code);
}

} // namespace

demo_board& make_board() {
    void* const place = ::mmap(nullptr, sizeof(demo_board), PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) { fail("no shared memory"); }
    return *new (place) demo_board;
}

bool hold_sale(const sale& sale, demo_board& board, const std::function<void()>& watch) {
    board.fill(sale.items);
    std::vector<pid_t> sellers;
    sellers.reserve(static_cast<std::size_t>(sale.sellers));
    for (int i = 0; i < sale.sellers; ++i) {
        sellers.push_back(in_child([&] { sell(sale, board); }));
    }
    bool good = true;
    for (const auto pid : sellers) {
        int status = 0;
        while (::waitpid(pid, &status, WNOHANG) == 0) {
            watch();
            std::this_thread::sleep_for(20ms);
        }
        good = good && status == 0;
    }
    watch();
    return good;
}

take_over kill_a_holder(const place& where, const std::string& name) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) { fail("no pipe"); }
    const base::fd reads{ends[0]};
    base::fd writes{ends[1]};
    const auto victim = in_child([&] {
        auto fleet = where.open();
        mutex lock{fleet, name};
        const auto held = lock.acquire({.lease = killed_lease, .note = "about to be killed"});
        const auto token = held.token();
        if (::write(writes.get(), &token, sizeof token) != sizeof token) { ::_exit(1); }
        for (;;) { ::pause(); }
    });
    writes.reset();
    take_over out;
    if (::read(reads.get(), &out.killed_token, sizeof out.killed_token) !=
        sizeof out.killed_token) {
        ::kill(victim, SIGKILL);
        ::waitpid(victim, nullptr, 0);
        fail("the holder did not get its lock");
    }
    const auto start = std::chrono::steady_clock::now();
    ::kill(victim, SIGKILL);
    ::waitpid(victim, nullptr, 0);

    auto fleet = where.open();
    mutex lock{fleet, name};
    fence store; // what a database does with one more condition in its UPDATE
    const auto held = lock.acquire();
    out.took_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    out.next_token = held.token();
    out.next_write_accepted = store.admit(out.next_token);
    out.late_write_refused = !store.admit(out.killed_token);
    return out;
}

} // namespace holdfast::cli
