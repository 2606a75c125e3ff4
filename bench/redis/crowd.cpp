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

/// In memory that all processes share.
struct crowd::shared_state {
    struct alignas(64) slot {
        std::atomic<std::uint64_t> taken{0};
        std::atomic<std::int64_t> done_at{0};
    };
    std::atomic<std::size_t> ready{0};
    std::atomic<std::size_t> done{0};
    std::atomic<bool> go{false};
    std::atomic<bool> stop{false};
    std::atomic<bool> failed{false};
    std::array<slot, max_waiters> slots{};
};

std::int64_t now_ns() noexcept {
    return std::chrono::nanoseconds{std::chrono::steady_clock::now().time_since_epoch()}.count();
}

namespace {

template <class State>
State& shared() {
    void* const memory =
        ::mmap(nullptr, sizeof(State), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) { throw std::runtime_error{"no shared memory"}; }
    return *new (memory) State;
}

} // namespace

crowd::crowd(std::size_t size, waiter_mode waiter_mode, const make_waiter& make)
    : size_{std::min(size, max_waiters)}, shared_state_{shared<shared_state>()} {
    const auto parent = ::getpid();
    for (std::size_t index = 0; index < processes; ++index) {
        const auto child = ::fork();
        if (child == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (::getppid() != parent) { ::_exit(1); }
            run_process(index, waiter_mode, make);
        }
        if (child > 0) { children_.push_back(child); }
    }
    wait_for([this] { return shared_state_.ready == size_; });
}

crowd::~crowd() {
    for (const auto child : children_) {
        ::kill(child, SIGKILL);
        while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {}
    }
    ::munmap(&shared_state_, sizeof shared_state_);
}

/// Ends only by a signal: the connections stay open until the measurement is complete.
void crowd::run_process(std::size_t index, waiter_mode waiter_mode, const make_waiter& make) {
    std::vector<std::thread> threads;
    for (auto i = index; i < size_; i += processes) {
        threads.emplace_back([this, i, waiter_mode, &make] {
            try {
                serve(i, waiter_mode, make);
            } catch (const std::exception& error) {
                std::fprintf(stderr, "a waiter: %s\n", error.what());
                shared_state_.failed = true;
            }
            std::this_thread::sleep_for(std::chrono::hours{1});
        });
    }
    for (auto& thread : threads) { thread.join(); }
    ::_exit(0);
}

void crowd::serve(std::size_t index, waiter_mode waiter_mode, const make_waiter& make) {
    auto& slot = shared_state_.slots.at(index);
    const auto waiter = make();
    ++shared_state_.ready;
    while (!shared_state_.go) { std::this_thread::sleep_for(5ms); }
    do {
        waiter->take();
        ++slot.taken;
        waiter->pass();
    } while (waiter_mode == waiter_mode::looping && !shared_state_.stop);
    slot.done_at = now_ns();
    ++shared_state_.done;
    std::this_thread::sleep_for(std::chrono::hours{1}); // keeps its connections open
}

void crowd::wait_for(const std::function<bool()>& done) const {
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (!done()) {
        if (shared_state_.failed) { throw std::runtime_error{"a waiter failed"}; }
        if (std::chrono::steady_clock::now() > end) {
            throw std::runtime_error{"waiters do not get on"};
        }
        std::this_thread::sleep_for(1ms);
    }
}

void crowd::go() { shared_state_.go = true; }

void crowd::stop() {
    shared_state_.stop = true;
    all_done();
}

std::vector<std::uint64_t> crowd::taken() const {
    std::vector<std::uint64_t> out;
    for (std::size_t i = 0; i < size_; ++i) { out.push_back(shared_state_.slots.at(i).taken); }
    return out;
}

std::int64_t crowd::all_done() {
    wait_for([this] { return shared_state_.done == size_; });
    std::int64_t last = 0;
    for (std::size_t i = 0; i < size_; ++i) {
        last = std::max<std::int64_t>(last, shared_state_.slots.at(i).done_at);
    }
    return last;
}

} // namespace holdfast::bench::redis
