#pragma once
// Maps the acquiring functions of each primitive to the same four names, so that one table or test
// covers all primitives.

#include <holdfast/holdfast.hpp>

#include <chrono>
#include <concepts>
#include <optional>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

namespace holdfast::test {

// NOLINTBEGIN(bugprone-macro-parentheses, cppcoreguidelines-macro-usage): names of functions

/// Defines take(), try_take(), try_take_for() and try_take_until() for one family, with the
/// overloads that the lock has. `...` are arguments that precede those of the overload.
#define HOLDFAST_FAMILY_FORMS(take_name, try_name, for_name, until_name, ...)                      \
    template <class... Args>                                                                       \
    auto take(Args&&... args)                                                                      \
        ->decltype(std::declval<lock_type&>().take_name(                                           \
            __VA_ARGS__ std::forward<Args>(args)...)) {                                            \
        return lock.take_name(__VA_ARGS__ std::forward<Args>(args)...);                            \
    }                                                                                              \
    template <class... Args>                                                                       \
    auto try_take(Args&&... args)                                                                  \
        ->decltype(std::declval<lock_type&>().try_name(__VA_ARGS__ std::forward<Args>(args)...)) { \
        return lock.try_name(__VA_ARGS__ std::forward<Args>(args)...);                             \
    }                                                                                              \
    template <class... Args>                                                                       \
    auto try_take_for(Args&&... args)                                                              \
        ->decltype(std::declval<lock_type&>().for_name(__VA_ARGS__ std::forward<Args>(args)...)) { \
        return lock.for_name(__VA_ARGS__ std::forward<Args>(args)...);                             \
    }                                                                                              \
    template <class... Args>                                                                       \
    auto try_take_until(Args&&... args)                                                            \
        ->decltype(std::declval<lock_type&>().until_name(                                          \
            __VA_ARGS__ std::forward<Args>(args)...)) {                                            \
        return lock.until_name(__VA_ARGS__ std::forward<Args>(args)...);                           \
    }

// NOLINTEND(bugprone-macro-parentheses, cppcoreguidelines-macro-usage)

/// The return types of the forms of lock().
struct locking {
    using taken = void;
    using taken_or_failed = bool;
    using tried = bool;
};

/// The return types of the forms of acquire().
struct acquiring {
    using taken = lease;
    using taken_or_failed = lease;
    using tried = std::optional<lease>;
    void give_back() {} // the lease releases
};

template <class Lock>
struct lock_family : locking {
    using lock_type = Lock;
    lock_family(client& client, lock_options options) : lock{client, "name", std::move(options)} {}
    HOLDFAST_FAMILY_FORMS(lock, try_lock, try_lock_for, try_lock_until)
    void give_back() { lock.unlock(); }
    Lock lock;
};

template <class Lock>
struct acquire_family : acquiring {
    using lock_type = Lock;
    acquire_family(client& client, lock_options options)
        : lock{client, "name", std::move(options)} {}
    HOLDFAST_FAMILY_FORMS(acquire, try_acquire, try_acquire_for, try_acquire_until)
    Lock lock;
};

struct lock_shared_family : locking {
    using lock_type = shared_mutex;
    lock_shared_family(client& client, lock_options options)
        : lock{client, "name", std::move(options)} {}
    HOLDFAST_FAMILY_FORMS(lock_shared, try_lock_shared, try_lock_shared_for, try_lock_shared_until)
    void give_back() { lock.unlock_shared(); }
    shared_mutex lock;
};

struct acquire_shared_family : acquiring {
    using lock_type = shared_mutex;
    acquire_shared_family(client& client, lock_options options)
        : lock{client, "name", std::move(options)} {}
    HOLDFAST_FAMILY_FORMS(acquire_shared, try_acquire_shared, try_acquire_shared_for,
                          try_acquire_shared_until)
    shared_mutex lock;
};

/// One permit of one.
struct permit_family : acquiring {
    using lock_type = counting_semaphore;
    permit_family(client& client, lock_options options)
        : lock{client, "name", 1, std::move(options)} {}
    HOLDFAST_FAMILY_FORMS(acquire, try_acquire, try_acquire_for, try_acquire_until)
    counting_semaphore lock;
};

/// Both permits of two.
struct permits_family : acquiring {
    using lock_type = counting_semaphore;
    permits_family(client& client, lock_options options)
        : lock{client, "name", 2, std::move(options)} {}
    HOLDFAST_FAMILY_FORMS(acquire, try_acquire, try_acquire_for, try_acquire_until, 2, )
    counting_semaphore lock;
};

#undef HOLDFAST_FAMILY_FORMS

} // namespace holdfast::test
