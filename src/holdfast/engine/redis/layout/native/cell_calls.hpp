#pragma once
// The native layout's cells: operations as calls of cell.lua, and their replies.

#include "holdfast/engine/ops.hpp"
#include "holdfast/engine/redis/node/command_channel.hpp"
#include "holdfast/engine/redis/operation.hpp"

#include <string>

namespace holdfast::engine::redis {

/// Thread safety: none.
class cell_calls final : public request_handler {
public:
    explicit cell_calls(const std::string& prefix) : prefix_{prefix} {}

    /// `counts_until` is the not-after of this request.
    void begin(operation& operation, const cell_op& op, command_channel& channel,
               base::instant counts_until, base::instant now);
    [[nodiscard]] bool on_reply(request& request, const reply& reply, base::instant now) override;

private:
    enum class request_kind : std::uint8_t { cell };

    void write(std::string& out, const cell_op& op, std::int64_t not_after_us) const;

    const std::string& prefix_;
};

} // namespace holdfast::engine::redis
