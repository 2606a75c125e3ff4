#pragma once
// Replies of the native layout's scripts.

#include "holdfast/engine/answers.hpp"
#include "holdfast/engine/redis/protocol/reply.hpp"

#include <string>

namespace holdfast::engine::redis {

// A reply that no script gives makes `failed` with errc::internal.
[[nodiscard]] answer read_acquire(const reply& reply);
/// The one reply of the exchange script that is not an acquire's: {code, release's, acquire's}.
[[nodiscard]] bool is_of_both(const reply& reply);
[[nodiscard]] answer read_exchanged(const reply& reply); ///< what became of the release
[[nodiscard]] lock_info read_inspect(const reply& reply, std::string name);

} // namespace holdfast::engine::redis
