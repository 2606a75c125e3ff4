#include "history/recorder.hpp"

#include "history/line.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <stdexcept>
#include <system_error>
#include <unistd.h>

namespace holdfast::history {
namespace {

int thread_number() noexcept {
    static std::atomic<int> last{0};
    thread_local const int mine = ++last;
    return mine;
}

} // namespace

stamp now() noexcept {
    timespec t{};
    ::clock_gettime(CLOCK_BOOTTIME, &t);
    return std::chrono::seconds{t.tv_sec} + std::chrono::nanoseconds{t.tv_nsec};
}

recorder::recorder(const std::filesystem::path& file, std::string process)
    : file_{::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600)},
      process_{std::move(process)} {
    if (file_ < 0) {
        throw std::system_error{errno, std::generic_category(), "history file " + file.string()};
    }
}

recorder::~recorder() { ::close(file_); }

void recorder::record(event_type type, stamp at) {
    // getpid() each time: it differs after a fork.
    const event e{.at = at,
                  .pid = ::getpid(),
                  .thread = thread_number(),
                  .process = process_,
                  .type = std::move(type)};
    std::array<char, max_line> line; // NOLINT(*-member-init): filled by to_line, and it is hot
    const std::size_t length = to_line(e, line);
    if (length == 0) { throw std::length_error{"an event's line is too long for the history"}; }

    ssize_t written = -1;
    do { written = ::write(file_, line.data(), length); } while (written < 0 && errno == EINTR);
    if (written < 0) {
        throw std::system_error{errno, std::generic_category(), "cannot write the history"};
    }
    if (static_cast<std::size_t>(written) != length) {
        throw std::system_error{ENOSPC, std::generic_category(), "history line written in part"};
    }
}

} // namespace holdfast::history
