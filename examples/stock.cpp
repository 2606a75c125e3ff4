// Stock deduction: several processes sell from one stock, and never more than there is. The first
// of them is killed in the middle of a sale.

#include <holdfast/holdfast.hpp>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <optional>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

using namespace std::chrono_literals;

namespace {

void require(bool works) {
    if (!works) { throw std::system_error{errno, std::generic_category()}; }
}

/// The store: a row in a file. Returns its items, changed to `items` if given. It refuses an old
/// token; check and write are one step, under the kernel's lock of the file.
int access_row(int file, std::uint64_t token, std::optional<int> items = {}) {
    struct {
        std::uint64_t token = 0;
        int items = 0;
    } row;
    require(::lockf(file, F_LOCK, 0) == 0 && ::pread(file, &row, sizeof row, 0) >= 0);
    holdfast::fence{row.token}.check(token); // throws stale_token
    row = {token, items.value_or(row.items)};
    require(::pwrite(file, &row, sizeof row, 0) == ssize_t{sizeof row} &&
            ::lockf(file, F_ULOCK, 0) == 0);
    return row.items;
}

void pay() { std::this_thread::sleep_for(2ms); }
void die() { std::raise(SIGKILL); }
// [doc: stock]
/// Sells one item; false if none is left. All processes call it at the same time.
bool sell_one(holdfast::mutex& stock, int store, void (*take_payment)()) {
    const auto lease = stock.acquire(); // waits its turn
    const int items = access_row(store, lease.token());
    if (items == 0) { return false; }
    take_payment(); // too slow for a transaction of the store
    access_row(store, lease.token(), items - 1);
    return true;
}
// [end]

/// Starts a process that sells until nothing is left. Its exit code is how many it has sold.
::pid_t start_seller(const char* url, int store, void (*take_payment)()) {
    const ::pid_t pid = ::fork(); // no client exists yet: it would be inert in the child
    if (pid != 0) { return pid; }
    holdfast::client fleet{url};
    holdfast::mutex stock{fleet, "stock:1001", {.lease = 2s}};
    int sold = 0;
    while (sell_one(stock, store, take_payment)) { ++sold; }
    ::_exit(sold);
}

} // namespace

int main(int argc, char** argv) {
    const char* const url = argc > 1 ? argv[1] : "embedded:";
    const int store = ::fileno(std::tmpfile()); // deleted with the last process
    access_row(store, 1, 40);
    int status = 0;
    require(::waitpid(start_seller(url, store, die), &status, 0) > 0);
    std::cout << "the first seller was killed: " << (WIFSIGNALED(status) ? "yes" : "no") << '\n';
    std::array<::pid_t, 4> sellers{};
    for (auto& seller : sellers) { seller = start_seller(url, store, pay); }
    int sold = 0;
    for (const auto seller : sellers) {
        require(::waitpid(seller, &status, 0) == seller && WIFEXITED(status));
        sold += WEXITSTATUS(status);
    }
    std::cout << "sold by the others: " << sold << " of 40\n";
}
