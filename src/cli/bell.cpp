#include "cli/bell.hpp"

#include <cerrno>
#include <cstdint>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>

namespace holdfast::cli {

bell::bell() : descriptor_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
    if (!descriptor_) {
        throw std::system_error{errno, std::generic_category(), "cannot make an eventfd"};
    }
}

void bell::ring() const noexcept {
    const std::uint64_t once = 1; // if it is full it has been rung
    [[maybe_unused]] const auto rung = ::write(descriptor_.get(), &once, sizeof once);
}

} // namespace holdfast::cli
