#include "hand_off.hpp"

#include <holdfast/holdfast.hpp>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace holdfast::bench {

namespace {

using namespace std::chrono_literals;

std::int64_t now_ns() {
    std::timespec at{};
    ::clock_gettime(CLOCK_BOOTTIME, &at);
    return at.tv_sec * 1'000'000'000LL + at.tv_nsec;
}

/// Seen by both processes.
struct board {
    std::atomic<std::int64_t> released_at{0};
    std::atomic<int> waiting{0}; ///< how often somebody has begun to ask
    std::atomic<int> next{0};
    std::array<double, 100'000> us{};
};

board& shared_board() {
    void* const place =
        ::mmap(nullptr, sizeof(board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) { throw std::runtime_error{"no shared memory"}; }
    return *new (place) board;
}

/// Runs `side(0)` here and `side(1)` in a child.
template <class Side>
void in_two_processes(Side side) {
    const auto child = ::fork();
    if (child < 0) { throw std::runtime_error{"fork failed"}; }
    if (child == 0) {
        side(1);
        ::_exit(0);
    }
    side(0);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (status != 0) { throw std::runtime_error{"the other process failed"}; }
}

spread collected(board& on) {
    const auto count = static_cast<std::size_t>(on.next.load());
    std::vector<double> us{on.us.begin(), on.us.begin() + static_cast<std::ptrdiff_t>(count)};
    ::munmap(&on, sizeof on);
    return spread_of(std::move(us));
}

} // namespace

spread hand_off(const std::string& url, int times) {
    auto& on = shared_board();
    in_two_processes([&](int side) {
        client fleet{url};
        mutex lock{fleet, "hand-off"};
        static_cast<void>(side);
        for (int i = 0; i < times; ++i) {
            const auto asked = ++on.waiting;
            auto held = lock.acquire();
            const auto released = on.released_at.exchange(0);
            if (released != 0) {
                on.us[static_cast<std::size_t>(on.next++)] =
                    static_cast<double>(now_ns() - released) / 1e3;
            }
            // Until the other one asks, and has had the time to be queued.
            for (int tries = 0; on.waiting == asked && tries < 100; ++tries) {
                std::this_thread::sleep_for(100us);
            }
            std::this_thread::sleep_for(1ms);
            on.released_at = now_ns();
            held.release();
        }
        on.released_at = 0;
    });
    return collected(on);
}

spread pipe_hand_off(int times) {
    auto& on = shared_board();
    std::array<std::array<int, 2>, 2> pipes{};
    for (auto& one : pipes) {
        if (::pipe(one.data()) != 0) { throw std::runtime_error{"no pipe"}; }
    }
    in_two_processes([&](int side) {
        const auto in = pipes.at(static_cast<std::size_t>(side)).at(0);
        const auto out = pipes.at(static_cast<std::size_t>(1 - side)).at(1);
        char byte = 0;
        for (int i = 0; i < times; ++i) {
            if (side == 1 || i > 0) {
                if (::read(in, &byte, 1) != 1) { std::_Exit(1); }
                on.us[static_cast<std::size_t>(on.next++)] =
                    static_cast<double>(now_ns() - on.released_at) / 1e3;
            }
            std::this_thread::sleep_for(1ms);
            on.released_at = now_ns();
            if (::write(out, &byte, 1) != 1) { std::_Exit(1); }
        }
    });
    for (const auto& one : pipes) {
        ::close(one[0]);
        ::close(one[1]);
    }
    return collected(on);
}

} // namespace holdfast::bench
