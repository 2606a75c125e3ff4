#include "holdfast/core/lock_id.hpp"

#include "holdfast/core/client_core.hpp"

#include <functional>

namespace holdfast::core {

namespace {

holdfast::layout layout_of(const client_core& core, const lock_request& lock) {
    // After a fork() every operation fails, and the engine must not be used.
    if (core.inherited()) { return layout::native; }
    return core.caps(lock.kind, lock_format_of(lock.options)).layout;
}

} // namespace

lock_id::lock_id(const client_core& core, const lock_request& lock)
    : kind{lock.kind}, layout{layout_of(core, lock)}, name{lock.name} {
    const auto other = static_cast<std::uint64_t>(kind) << 8U | static_cast<std::uint64_t>(layout);
    hash = std::hash<std::string>{}(name) ^ (other * 0x9e37'79b9'7f4a'7c15U);
}

} // namespace holdfast::core
