// embedded: locks between the processes of one host. The first process is killed while it holds the
// lock; the second gets it at once, not when the lease of 30 s expires.

#include <holdfast/holdfast.hpp>

#include <chrono>
#include <csignal>
#include <iostream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace std::chrono_literals;

namespace {

void hold_until_killed(const char* url) {
    holdfast::client fleet{url};
    holdfast::mutex stock{fleet, "stock:1001"};
    const auto lease = stock.acquire({.note = "first"});
    while (lease.valid()) { ::pause(); }
}

} // namespace

int main(int argc, char** argv) {
    const char* const url = argc > 1 ? argv[1] : "embedded:";
    const pid_t first = ::fork(); // before any client exists: a client is inert in the child
    if (first == 0) { hold_until_killed(url); }

    // [doc: embedded]
    holdfast::client fleet{url}; // embedded: or embedded:/var/lib/shop/locks.db?mode=0660
    holdfast::mutex stock{fleet, "stock:1001"};
    const holdfast::admin admin{fleet};
    while (!admin.inspect("stock:1001")) { std::this_thread::sleep_for(5ms); }
    std::cout << "held by another process: " << (stock.try_acquire() ? "no" : "yes") << '\n';

    ::kill(first, SIGKILL);
    ::waitpid(first, nullptr, 0);
    const auto killed = std::chrono::steady_clock::now();
    const auto lease = stock.acquire({.note = "second"});
    // [end]
    const auto took = std::chrono::steady_clock::now() - killed;
    std::cout << "ours within a second of its death: " << (took < 1s ? "yes" : "no") << '\n';
}
