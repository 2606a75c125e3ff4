#pragma once

#include <holdfast/client.hpp>
#include <holdfast/detail/lock_forms.hpp>

#include <string>
#include <utility>

namespace holdfast {

/// std::timed_mutex across processes: one holder at a time per name and engine, first come first
/// served where the engine can.
///
///     holdfast::mutex stock{fleet, "stock:1001"};
///     { std::scoped_lock hold{stock}; sell_one(stock.token()); }
///
/// Two ways to hold it. lock() and its family belong to the calling thread, as in std, and work
/// with std::lock_guard, unique_lock, scoped_lock and std::lock. acquire() and its family answer a
/// lease that can be passed on. Both are renewed while held, unless the options say otherwise.
///
/// Errors: contention is `false` or empty. An engine that cannot be reached for `connect_wait`, or
/// for the time-out of the call if that is shorter, throws unavailable, or sets the
/// std::error_code; try_lock() and try_acquire() make one attempt. A stop_token makes acquire()
/// throw cancelled and the try forms answer empty. unlock() never throws: what it could not do goes
/// to the observer. It waits for the answer to its release for 200 ms at most: after that the
/// release goes on in the background, and comes before this client's next lock() of the name.
/// lock() and try_lock(), in all their forms, throw would_deadlock if the calling thread holds this
/// name by lock() already, through this or any other object of the client: so do std::lock and
/// scoped_lock of two objects that turn out to have one name. Leases, a hold that was lost and
/// other clients' holds do not count. Only with layout::plain, and through the same object, both
/// renew the lease instead, as go-zero does: then one unlock() frees it.
///
/// Thread safety: all members may be called from any thread. The destructor releases what threads
/// still hold through this object; it is undefined to destroy it while a thread waits in it, which
/// debug builds of the library assert. Neither copied nor moved, as in std.
class mutex : public detail::lock_forms {
public:
    /// Throws invalid_name or invalid_option; does no I/O. `defaults` are for calls without
    /// options of their own.
    mutex(const client& client, std::string name, hold_options defaults = {})
        : lock_forms{client, std::move(name),      primitive::mutex,
                     1,      {mode::exclusive, 1}, std::move(defaults)} {}
};

} // namespace holdfast
