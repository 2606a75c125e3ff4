#pragma once

#include <holdfast/client.hpp>
#include <holdfast/detail/lock_forms.hpp>

#include <string>
#include <utility>

namespace holdfast {

/// std::timed_mutex across processes: one holder at a time per name and engine, first come, first
/// served where the engine can.
///
///     holdfast::mutex stock{fleet, "stock:1001", {.lease = 10s}};
///     { std::scoped_lock hold{stock}; sell_one(stock.token()); }
///     if (auto lease = stock.try_acquire_for(500ms, {.note = "nightly"})) { count(*lease); }
///
/// There are two ways to hold it. A hold by lock() and its variants belongs to the calling thread,
/// as in std; it works with std::lock_guard, unique_lock, scoped_lock and std::lock. acquire() and
/// its variants return a movable `lease`. Both are renewed while held, unless the options say
/// otherwise.
///
/// Errors: contention is `false` or empty. Failures are thrown as holdfast::error, or set in the
/// std::error_code, which is cleared on success. If the engine cannot be reached for
/// `connect_wait`, or for the time-out of the call if that is shorter, the call fails with
/// unavailable; a try makes one attempt. Options are checked before any I/O: invalid_option names
/// the member. With `options.stop`, lock() and acquire() fail with cancelled and the try forms
/// return false or empty.
///
/// lock() and try_lock(), in all their forms, fail with would_deadlock if the calling thread holds
/// this name by lock() already, through this or any other object of the client. So do std::lock and
/// scoped_lock of two objects with the same name. Leases, lost holds and other clients' holds do
/// not count. Only with layout::plain, and through the same object, they renew the lease instead,
/// as go-zero does; then one unlock() frees it.
///
/// Thread safety: all members may be called from any thread. The destructor releases what threads
/// still hold through this object. Destroying it while a thread waits in it is undefined; debug
/// builds of the library assert that. Neither copied nor moved, as in std.
class mutex : public detail::lock_forms {
public:
    /// Throws invalid_name or invalid_option; does no I/O.
    mutex(const client& client, std::string name, lock_options options = {})
        : lock_forms{client, std::move(name),      detail::lock_class::mutex,
                     1,      {mode::exclusive, 1}, std::move(options)} {}
};

} // namespace holdfast
