#pragma once
// An eventfd: one thread wakes another that polls.

#include "holdfast/base/fd.hpp"

namespace holdfast::cli {

/// Readable from the first signal() on, until clear(). Thread safety: all members, from any thread.
class event_fd {
public:
    event_fd(); ///< throws std::runtime_error if the system has no descriptor left

    void signal() const noexcept;
    void clear() const noexcept;
    [[nodiscard]] int descriptor() const noexcept { return descriptor_.get(); }

private:
    base::fd descriptor_;
};

} // namespace holdfast::cli
