#include "holdfast/engine/memory/mailbox.hpp"

#include <holdfast/error.hpp>

#include <cerrno>
#include <cstdint>
#include <string>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>

namespace holdfast::engine::memory {

namespace {

base::fd open_eventfd() {
    base::fd descriptor{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (!descriptor) {
        throw error{errc::limit_reached, "memory: no descriptor for the inbox: " +
                                             std::generic_category().message(errno)};
    }
    return descriptor;
}

} // namespace

mailbox::mailbox() : descriptor_{open_eventfd()} {}

void mailbox::put(const notice& what) {
    const std::lock_guard hold{guard_};
    if (notices_.size() >= most_notices) {
        notices_.assign(1, {notice::kind::inbox_reset, 0, 0});
        return;
    }
    notices_.push_back(what);
    if (notices_.size() > 1) { return; } // signalled already
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(descriptor_.get(), &one, sizeof one);
}

void mailbox::empty_into(std::vector<notice>& out) {
    out.clear();
    const std::lock_guard hold{guard_};
    if (notices_.empty()) { return; }
    std::uint64_t count = 0;
    [[maybe_unused]] const auto read = ::read(descriptor_.get(), &count, sizeof count);
    out.swap(notices_);
}

} // namespace holdfast::engine::memory
