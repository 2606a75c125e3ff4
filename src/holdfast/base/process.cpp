#include "holdfast/base/process.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <fstream>
#include <pthread.h>
#include <unistd.h>
#include <utility>

namespace holdfast::base {

namespace {

std::atomic<std::uint64_t> generation{1};

// At load time, not at first use: a fork before the first use must count as well.
[[gnu::constructor]] void watch_forks() {
    ::pthread_atfork(nullptr, nullptr, [] { generation.fetch_add(1, std::memory_order_relaxed); });
}

} // namespace

std::uint64_t process_generation() noexcept { return generation.load(std::memory_order_relaxed); }

std::string host_name() {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) { return "unknown"; }
    return name.data();
}

std::string boot_id() {
    std::ifstream file{"/proc/sys/kernel/random/boot_id"};
    std::string id;
    std::getline(file, id);
    return id;
}

std::thread library_thread(const char* name, std::function<void()> body) {
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    // A new thread inherits the mask: there is no moment at which a signal could land on it.
    struct restore {
        const sigset_t* mask;
        ~restore() { ::pthread_sigmask(SIG_SETMASK, mask, nullptr); }
    } const restore_mask{&before};
    return std::thread{[name, run = std::move(body)] {
        ::pthread_setname_np(::pthread_self(), name);
        run();
    }};
}

} // namespace holdfast::base
