#pragma once
// Replies of the scripts for layouts without a queue.

#include "holdfast/engine/answers.hpp"
#include "holdfast/engine/redis/protocol/reply.hpp"

#include <cstdint>
#include <string>

namespace holdfast::engine::redis {

/// granted; or busy, with the PTTL of the current hold in `pttl`, -1 if it is not known.
[[nodiscard]] answer read_polling_acquire(const reply& reply, std::int64_t& pttl);
[[nodiscard]] lock_info read_polling_inspect(const reply& reply, std::string name);

} // namespace holdfast::engine::redis
