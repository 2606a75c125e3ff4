#pragma once
// A deadline in memory that the front and the guardian share.

#include "holdfast/base/clock.hpp"

#include <atomic>

namespace holdfast::cli {

/// The time by which no process of the child may run any more. It is in shared memory and not a
/// message: a front that was stopped for hours sees the latest value at once, and no queue fills.
class shared_deadline {
public:
    shared_deadline(); ///< base::never; throws std::runtime_error if there is no memory
    shared_deadline(const shared_deadline&) = delete;
    shared_deadline& operator=(const shared_deadline&) = delete;
    ~shared_deadline();

    void set(base::instant deadline) noexcept { *value_ = deadline.time_since_epoch().count(); }
    [[nodiscard]] base::instant get() const noexcept {
        return base::instant{base::duration{*value_}};
    }

private:
    using value = std::atomic<base::duration::rep>;
    static_assert(value::is_always_lock_free, "required between processes");
    value* value_;
};

} // namespace holdfast::cli
