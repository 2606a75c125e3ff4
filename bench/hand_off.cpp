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
    std::timespec time{};
    ::clock_gettime(CLOCK_BOOTTIME, &time);
    return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

/// In memory that both processes share.
struct shared_state {
    std::atomic<std::int64_t> released_at{0};
    std::atomic<int> waiting{0}; ///< how many acquires have begun
    std::atomic<int> next{0};
    std::array<double, 100'000> us{};
};

shared_state& make_shared_state() {
    void* const memory = ::mmap(nullptr, sizeof(shared_state), PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) { throw std::runtime_error{"no shared memory"}; }
    return *new (memory) shared_state;
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

spread collected(shared_state& shared) {
    const auto count = static_cast<std::size_t>(shared.next.load());
    std::vector<double> us{shared.us.begin(),
                           shared.us.begin() + static_cast<std::ptrdiff_t>(count)};
    ::munmap(&shared, sizeof shared);
    return spread_of(std::move(us));
}

} // namespace

spread hand_off(const std::string& url, int times) {
    auto& shared = make_shared_state();
    in_two_processes([&](int side) {
        client fleet{url};
        mutex lock{fleet, "hand-off"};
        static_cast<void>(side);
        for (int i = 0; i < times; ++i) {
            const auto turn_number = ++shared.waiting;
            auto held = lock.acquire();
            const auto released = shared.released_at.exchange(0);
            if (released != 0) {
                shared.us[static_cast<std::size_t>(shared.next++)] =
                    static_cast<double>(now_ns() - released) / 1e3;
            }
            // Waits until the other process has begun its acquire, and a bit for it to be queued.
            for (int tries = 0; shared.waiting == turn_number && tries < 100; ++tries) {
                std::this_thread::sleep_for(100us);
            }
            std::this_thread::sleep_for(1ms);
            shared.released_at = now_ns();
            held.release();
        }
        shared.released_at = 0;
    });
    return collected(shared);
}

spread pipe_hand_off(int times) {
    auto& shared = make_shared_state();
    std::array<std::array<int, 2>, 2> pipes{};
    for (auto& pipe : pipes) {
        if (::pipe(pipe.data()) != 0) { throw std::runtime_error{"no pipe"}; }
    }
    in_two_processes([&](int side) {
        const auto in = pipes.at(static_cast<std::size_t>(side)).at(0);
        const auto out = pipes.at(static_cast<std::size_t>(1 - side)).at(1);
        char byte = 0;
        for (int i = 0; i < times; ++i) {
            if (side == 1 || i > 0) {
                if (::read(in, &byte, 1) != 1) { std::_Exit(1); }
                shared.us[static_cast<std::size_t>(shared.next++)] =
                    static_cast<double>(now_ns() - shared.released_at) / 1e3;
            }
            std::this_thread::sleep_for(1ms);
            shared.released_at = now_ns();
            if (::write(out, &byte, 1) != 1) { std::_Exit(1); }
        }
    });
    for (const auto& pipe : pipes) {
        ::close(pipe[0]);
        ::close(pipe[1]);
    }
    return collected(shared);
}

} // namespace holdfast::bench
