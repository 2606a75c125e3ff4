#pragma once
// The sentences about a name that is used in two ways, which engines, layouts and API share.

#include <holdfast/lock_info.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace holdfast::engine {

[[nodiscard]] constexpr const char* primitive_name(primitive kind) noexcept {
    switch (kind) {
    case primitive::mutex: return "mutex";
    case primitive::shared_mutex: return "shared_mutex";
    case primitive::semaphore: return "semaphore";
    }
    return "unknown primitive";
}

/// With errc::wrong_primitive; `wanted` where it is at hand.
[[nodiscard]] inline std::string other_kind_text(primitive known,
                                                 std::optional<primitive> wanted = {}) {
    return std::string{"the name is in use as a "} + primitive_name(known) +
           (wanted ? std::string{", not as a "} + primitive_name(*wanted) : "") +
           "; use a name for one kind of lock only";
}

/// With errc::wrong_limit, of a semaphore.
[[nodiscard]] inline std::string other_limit_text(std::int64_t known,
                                                  std::optional<unsigned> wanted = {}) {
    return "the semaphore is in use with limit " + std::to_string(known) +
           (wanted ? ", not " + std::to_string(*wanted) : "") +
           "; give all its users the same limit, or call resize()";
}

/// With errc::wrong_limit, of a latch or barrier.
[[nodiscard]] inline std::string other_count_text(std::int64_t known) {
    return "it is in use with a count of " + std::to_string(known) +
           "; give all its users the same count";
}

} // namespace holdfast::engine
