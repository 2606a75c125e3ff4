#pragma once

#include <holdfast/client.hpp>
#include <holdfast/detail/lock_forms.hpp>

#include <string>
#include <utility>

namespace holdfast {

/// std::recursive_timed_mutex across processes. Locks are counted per client, name and thread: a
/// thread may lock a name again through this or any other recursive_mutex of the same client,
/// without a request to the engine, and holds it until it has unlocked it as often. Other clients
/// see it as a mutex.
///
///     holdfast::recursive_mutex account{fleet, "account:7"};
///     std::scoped_lock outer{account};
///     pay();                                  // locks account:7 again: count() is 2 in there
///
/// The options of the first lock apply until the last unlock. If the lease is lost while it is
/// held, locking again fails with lost until the thread has unlocked every level: the outer scopes
/// must not continue as if nothing had happened. A thread that holds the name as a mutex gets
/// would_deadlock, and vice versa.
///
/// A lease does not belong to a thread, so acquire() and its variants are not counted: a thread
/// that holds the name by lock() gets would_deadlock from them.
///
/// Errors and thread safety: as for mutex, but the destructor leaves holds in place, which other
/// objects of the same name may share.
class recursive_mutex : public detail::lock_forms {
public:
    /// Throws invalid_name or invalid_option; does no I/O.
    recursive_mutex(const client& client, std::string name, lock_options options = {})
        : lock_forms{client, std::move(name),      detail::lock_class::recursive_mutex,
                     1,      {mode::exclusive, 1}, std::move(options)} {}

    /// How many unlocks the calling thread owes; 0 if it does not hold the lock.
    [[nodiscard]] unsigned count() const noexcept { return handle().count(); }
};

} // namespace holdfast
