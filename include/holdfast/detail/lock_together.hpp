#pragma once
// The handles of several lock objects, for lock_all().

#include <holdfast/detail/lock_forms.hpp>

#include <array>
#include <concepts>

namespace holdfast::detail {

/// A mutex, a recursive_mutex, or a shared_mutex, which is locked as a writer.
template <class Lock>
concept lockable_together = std::derived_from<Lock, lock_forms>;

struct handle_access {
    [[nodiscard]] static lock_handle& handle_of(acquire_forms& lock) noexcept {
        return lock.handle_;
    }
};

template <lockable_together First, lockable_together... Others>
[[nodiscard]] std::array<lock_handle*, 1 + sizeof...(Others)> handles_of(First& first,
                                                                         Others&... others) {
    return {&handle_access::handle_of(first), &handle_access::handle_of(others)...};
}

} // namespace holdfast::detail
