#pragma once
// The identity of a lock within a client: kind, layout and name.

#include "holdfast/core/lock_request.hpp"

#include <cstdint>
#include <string>

namespace holdfast::core {

class client_core;

struct lock_id {
    lock_id(const client_core& core, const lock_request& lock);

    std::uint64_t hash = 0; ///< of the rest; compared first
    primitive kind;
    holdfast::layout layout;
    std::string name;
};

} // namespace holdfast::core
