#include "redis/crowd.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace holdfast::bench::redis {

using namespace std::chrono_literals;

/// Seen by all processes.
struct crowd::board {
    struct alignas(64) place {
        std::atomic<std::uint64_t> taken{0};
        std::atomic<std::int64_t> done_at{0};
    };
    std::atomic<std::size_t> ready{0};
    std::atomic<std::size_t> done{0};
    std::atomic<bool> go{false};
    std::atomic<bool> stop{false};
    std::atomic<bool> failed{false};
    std::array<place, most> places{};
};

std::int64_t now_ns() noexcept {
    return std::chrono::nanoseconds{std::chrono::steady_clock::now().time_since_epoch()}.count();
}

namespace {

template <class Board>
Board& shared() {
    void* const place =
        ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) { throw std::runtime_error{"no shared memory"}; }
    return *new (place) Board;
}

} // namespace

crowd::crowd(std::size_t size, manner manner, const make_waiter& make)
    : size_{std::min(size, most)}, board_{shared<board>()} {
    const auto parent = ::getpid();
    for (std::size_t which = 0; which < processes; ++which) {
        const auto child = ::fork();
        if (child == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (::getppid() != parent) { ::_exit(1); }
            be_a_process(which, manner, make);
        }
        if (child > 0) { children_.push_back(child); }
    }
    wait_for([this] { return board_.ready == size_; });
}

crowd::~crowd() {
    for (const auto child : children_) {
        ::kill(child, SIGKILL);
        while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {}
    }
    ::munmap(&board_, sizeof board_);
}

/// Ends only with a signal: connections stay until all that is to be measured has been.
void crowd::be_a_process(std::size_t which, manner manner, const make_waiter& make) {
    std::vector<std::thread> threads;
    for (auto i = which; i < size_; i += processes) {
        threads.emplace_back([this, i, manner, &make] {
            try {
                serve(i, manner, make);
            } catch (const std::exception& error) {
                std::fprintf(stderr, "a waiter: %s\n", error.what());
                board_.failed = true;
            }
            std::this_thread::sleep_for(std::chrono::hours{1});
        });
    }
    for (auto& one : threads) { one.join(); }
    ::_exit(0);
}

void crowd::serve(std::size_t which, manner manner, const make_waiter& make) {
    auto& mine = board_.places.at(which);
    const auto me = make();
    ++board_.ready;
    while (!board_.go) { std::this_thread::sleep_for(5ms); }
    do {
        me->take();
        ++mine.taken;
        me->pass();
    } while (manner == manner::looping && !board_.stop);
    mine.done_at = now_ns();
    ++board_.done;
    std::this_thread::sleep_for(std::chrono::hours{1}); // and keeps its connections
}

void crowd::wait_for(const std::function<bool()>& done) const {
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (!done()) {
        if (board_.failed) { throw std::runtime_error{"a waiter failed"}; }
        if (std::chrono::steady_clock::now() > end) {
            throw std::runtime_error{"waiters do not get on"};
        }
        std::this_thread::sleep_for(1ms);
    }
}

void crowd::go() { board_.go = true; }

void crowd::stop() {
    board_.stop = true;
    all_done();
}

std::vector<std::uint64_t> crowd::taken() const {
    std::vector<std::uint64_t> out;
    for (std::size_t i = 0; i < size_; ++i) { out.push_back(board_.places.at(i).taken); }
    return out;
}

std::int64_t crowd::all_done() {
    wait_for([this] { return board_.done == size_; });
    std::int64_t last = 0;
    for (std::size_t i = 0; i < size_; ++i) {
        last = std::max<std::int64_t>(last, board_.places.at(i).done_at);
    }
    return last;
}

} // namespace holdfast::bench::redis
