#include "cli/loss_bell.hpp"

#include <cerrno>
#include <cstdint>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>

namespace holdfast::cli {

namespace {

base::fd make_bell() {
    base::fd out{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (!out) { throw std::system_error{errno, std::generic_category(), "cannot make an eventfd"}; }
    return out;
}

} // namespace

loss_bell::loss_bell(const lease& held)
    : bell_{make_bell()}, lost_{held.lost(), ring{bell_.get()}} {}

void loss_bell::ring::operator()() const noexcept {
    const std::uint64_t once = 1;
    [[maybe_unused]] const auto rung = ::write(bell, &once, sizeof once); // never full: rung once
}

} // namespace holdfast::cli
