#pragma once
// Replies of the native layout's scripts.

#include "holdfast/engine/answers.hpp"
#include "holdfast/engine/redis/protocol/reply.hpp"

#include <string>

namespace holdfast::engine::redis {

// A reply that no script gives makes `failed` with errc::internal.
/// `server` names it in messages.
[[nodiscard]] answer read_acquire(const reply& reply, const std::string& server);
/// Whether a reply of the exchange script contains both replies: {code, release's, acquire's}.
[[nodiscard]] bool is_double_reply(const reply& reply);
[[nodiscard]] answer read_exchanged(const reply& reply); ///< the release's answer
[[nodiscard]] lock_info read_inspect(const reply& reply, std::string name);

} // namespace holdfast::engine::redis
