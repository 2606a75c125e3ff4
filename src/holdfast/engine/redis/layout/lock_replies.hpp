#pragma once
// Replies that the scripts of all layouts have in common.

#include "holdfast/engine/answers.hpp"
#include "holdfast/engine/redis/protocol/reply.hpp"

#include <cstdint>
#include <string>

namespace holdfast::engine::redis {

/// Whether it has the form of a reply to an acquire script.
[[nodiscard]] bool is_acquire_reply(const reply& reply);
/// Likewise to an inspect script; the readers of it require this.
[[nodiscard]] bool is_inspect_reply(const reply& reply);
/// The server's time in a reply that says `late`; 0: it is none.
[[nodiscard]] std::int64_t late_since(const reply& reply);
[[nodiscard]] answer no_tokens_left();
[[nodiscard]] answer too_many_permits(std::int64_t limit);

// A reply that no script gives makes `failed` with errc::internal.
[[nodiscard]] answer unknown_reply();
/// Its data has another incarnation than the client knows.
[[nodiscard]] std::string stale_text(const std::string& server);
[[nodiscard]] answer read_release(const reply& reply);
[[nodiscard]] answer read_withdraw(const reply& reply); ///< or of a break
[[nodiscard]] beat_answer read_beat(const reply& reply, const std::string& server);

} // namespace holdfast::engine::redis
