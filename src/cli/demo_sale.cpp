#include "cli/demo_sale.hpp"

#include "cli/errno_error.hpp"
#include "holdfast/base/fd.hpp"

#include <holdfast/holdfast.hpp>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <mutex>
#include <new>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace holdfast::cli {

namespace {

using namespace std::chrono_literals;

/// Reads the stock, pauses and writes it back, as every shop does.
bool sell_one(demo_state& state) {
    const int left = state.stock;
    if (left <= 0) { return false; }
    std::this_thread::sleep_for(200us);
    state.stock = left - 1;
    ++state.sold;
    return true;
}

void sell(const sale& sale, demo_state& state) {
    if (!sale.locked) {
        while (sell_one(state)) {}
        return;
    }
    auto client = sale.engine.open();
    mutex stock{client, sale.name, {.note = "holdfast demo"}};
    for (;;) {
        const std::scoped_lock hold{stock};
        if (stock.token() <= state.last_token.exchange(stock.token())) {
            state.tokens_in_order = false;
        }
        if (!sell_one(state)) { return; }
    }
}

/// Runs `work` in a child that the kernel kills when this process ends.
template <class Work>
pid_t in_child(Work work) {
    const auto parent = ::getpid();
    const auto child = ::fork();
    if (child < 0) { throw errno_error("cannot fork", errno, raise_process_limit); }
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

demo_state& make_demo_state() {
    void* const memory = ::mmap(nullptr, sizeof(demo_state), PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        throw errno_error("cannot map shared memory", errno, "free memory and try again");
    }
    return *new (memory) demo_state;
}

bool run_sellers(const sale& sale, demo_state& state, const std::function<void()>& on_progress) {
    state.fill(sale.items);
    std::vector<pid_t> sellers;
    sellers.reserve(static_cast<std::size_t>(sale.sellers));
    for (int i = 0; i < sale.sellers; ++i) {
        sellers.push_back(in_child([&] { sell(sale, state); }));
    }
    bool succeeded = true;
    for (const auto pid : sellers) {
        int status = 0;
        while (::waitpid(pid, &status, WNOHANG) == 0) {
            on_progress();
            std::this_thread::sleep_for(20ms);
        }
        succeeded = succeeded && status == 0;
    }
    on_progress();
    return succeeded;
}

take_over_result kill_a_holder(const engine_address& engine, const std::string& name) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw errno_error("cannot create a pipe", errno, raise_file_limit);
    }
    const base::fd read_end{ends[0]};
    base::fd write_end{ends[1]};
    const auto victim = in_child([&] {
        auto client = engine.open();
        mutex lock{client, name};
        const auto held = lock.acquire({.lease = killed_lease, .note = "about to be killed"});
        const auto token = held.token();
        if (::write(write_end.get(), &token, sizeof token) != sizeof token) { ::_exit(1); }
        for (;;) { ::pause(); }
    });
    write_end.reset();
    take_over_result out;
    if (::read(read_end.get(), &out.killed_token, sizeof out.killed_token) !=
        sizeof out.killed_token) {
        ::kill(victim, SIGKILL);
        ::waitpid(victim, nullptr, 0);
        throw std::runtime_error{"the process to be killed could not acquire its lock; try again"};
    }
    const auto start = std::chrono::steady_clock::now();
    ::kill(victim, SIGKILL);
    ::waitpid(victim, nullptr, 0);

    auto client = engine.open();
    mutex lock{client, name};
    fence store; // in a database: one more condition in the UPDATE
    const auto held = lock.acquire();
    out.took_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    out.next_token = held.token();
    out.next_write_accepted = store.admit(out.next_token);
    out.late_write_refused = !store.admit(out.killed_token);
    return out;
}

} // namespace holdfast::cli
