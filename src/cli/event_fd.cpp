#include "cli/event_fd.hpp"

#include "cli/errno_error.hpp"

#include <cerrno>
#include <cstdint>
#include <sys/eventfd.h>
#include <unistd.h>

namespace holdfast::cli {

event_fd::event_fd() : descriptor_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
    if (!descriptor_) { throw errno_error("cannot create an eventfd", errno, raise_file_limit); }
}

void event_fd::signal() const noexcept {
    const std::uint64_t count = 1; // a full counter is readable anyway
    [[maybe_unused]] const auto written = ::write(descriptor_.get(), &count, sizeof count);
}

void event_fd::clear() const noexcept {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto read = ::read(descriptor_.get(), &count, sizeof count);
}

} // namespace holdfast::cli
