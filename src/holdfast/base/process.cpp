#include "holdfast/base/process.hpp"

#include "holdfast/base/fd.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
#include <utility>

namespace holdfast::base {

namespace {

std::atomic<std::uint64_t> generation{1};

std::atomic<thread_filter> current_filter{nullptr};

// Runs when the library is loaded, so that a fork before its first use counts as well.
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
    std::string id = read_small_file("/proc/sys/kernel/random/boot_id");
    return id.substr(0, id.find('\n'));
}

// read() and not std::ifstream, which hides a failed allocation.
std::string read_small_file(const char* path) {
    const fd file{::open(path, O_RDONLY | O_CLOEXEC)};
    std::array<char, 4096> buffer; // NOLINT(cppcoreguidelines-pro-type-member-init): only written
    std::string text;
    while (file) {
        const auto count = ::read(file.get(), buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) { continue; }
        if (count <= 0) { break; }
        text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return text;
}

std::string thread_refused_text(const std::system_error& refusal) {
    return "the system refuses another thread (" + refusal.code().message() +
           "): raise the limit on processes and threads (ulimit -u, or pids.max of the cgroup)";
}

void set_thread_filter(thread_filter filter) noexcept { current_filter.store(filter); }

std::thread library_thread(const char* name, std::function<void()> body) {
    if (const auto filter = current_filter.load(); filter != nullptr && !filter(name)) {
        throw std::system_error{EAGAIN, std::generic_category(), "thread"};
    }
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    // The new thread inherits this mask, so no signal is ever delivered to it.
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
