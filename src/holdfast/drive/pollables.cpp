// Which descriptors the driver watches: its own two and the engine's.

#include "holdfast/drive/driver.hpp"

#include <algorithm>
#include <new>

namespace holdfast::drive {

/// For how long to poll, in ms. If there is no memory for all of them they are left out for once.
int driver::collect_pollables(std::vector<pollfd>& into) noexcept {
    constexpr int for_ever = -1;
    constexpr int soon_again = 10;
    into.clear();
    wake_.pollables(into);
    try {
        engine_->pollables(into);
        if (&into == &keeper_polled_) {
            keeper_watches_.assign(into.begin() + wake_up::count, into.end());
        }
        return for_ever;
    } catch (const std::bad_alloc&) {
        into.resize(wake_up::count);
        return soon_again;
    }
}

/// An operation of a caller's may have opened or closed a descriptor while the keeper waits for the
/// ones that there were before.
void driver::tell_keeper_of_new_descriptors() noexcept {
    try {
        scratch_.clear();
        engine_->pollables(scratch_);
        const bool same = std::equal(
            scratch_.begin(), scratch_.end(), keeper_watches_.begin(), keeper_watches_.end(),
            [](const pollfd& a, const pollfd& b) { return a.fd == b.fd && a.events == b.events; });
        if (same) { return; }
    } catch (const std::bad_alloc&) { // NOLINT(bugprone-empty-catch): it looks for itself
    }
    wake_.ring();
}

} // namespace holdfast::drive
