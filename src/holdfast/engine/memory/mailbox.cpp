#include "holdfast/engine/memory/mailbox.hpp"

#include "holdfast/base/system_text.hpp"

#include <holdfast/error.hpp>

#include <cerrno>
#include <cstdint>
#include <new>
#include <string>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

namespace holdfast::engine::memory {

namespace {

base::fd open_eventfd() {
    base::fd descriptor{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (!descriptor) {
        throw error{errc::limit_reached,
                    "memory: " + base::descriptor_failure("an eventfd", errno)};
    }
    return descriptor;
}

} // namespace

mailbox::mailbox() : descriptor_{open_eventfd()} {}

void mailbox::put(const notice& notice) noexcept {
    const std::lock_guard hold{guard_};
    const bool signalled = missed_ || !notices_.empty();
    try {
        if (notices_.size() < max_notices) {
            notices_.push_back(notice);
        } else {
            missed_ = true;
        }
    } catch (const std::bad_alloc&) { missed_ = true; }
    if (signalled) { return; }
    const std::uint64_t increment = 1;
    [[maybe_unused]] const auto written = ::write(descriptor_.get(), &increment, sizeof increment);
}

bool mailbox::drain_into(std::vector<notice>& out) noexcept {
    out.clear();
    const std::lock_guard hold{guard_};
    if (notices_.empty() && !missed_) { return true; }
    std::uint64_t count = 0;
    [[maybe_unused]] const auto read = ::read(descriptor_.get(), &count, sizeof count);
    out.swap(notices_);
    return !std::exchange(missed_, false);
}

} // namespace holdfast::engine::memory
