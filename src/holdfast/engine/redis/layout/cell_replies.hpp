#pragma once
// The replies of cell.lua, and of scripts that answer like it.

#include "holdfast/engine/redis/operation.hpp"
#include "holdfast/engine/redis/protocol/reply.hpp"

namespace holdfast::engine::redis {

/// Completes a cell_op. False, without any effect, if the reply has another form.
[[nodiscard]] bool complete_cell(operation& operation, const reply& reply, base::instant now);

} // namespace holdfast::engine::redis
