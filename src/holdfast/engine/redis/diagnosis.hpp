#pragma once
// Whether a server is fit to hold locks.

#include "holdfast/engine/redis/node/node.hpp"

namespace holdfast::engine::redis {

/// Answers `diagnose_op`: which server it is, and whether it may evict locks.
///
/// Thread safety: none.
class diagnosis final : public request_handler {
public:
    /// REQUIRES: node.is_ready().
    void begin(operation& operation, node& node, base::instant now);

    [[nodiscard]] bool on_reply(request& request, const reply& reply, base::instant now) override;
    /// A user who may not see INFO learns that.
    void on_error(request& request, const server_error& error, base::instant now) override;
};

/// What the text of INFO says, in a sentence that follows `; `. Empty: all is well.
[[nodiscard]] std::string eviction_warning(std::string_view info);

} // namespace holdfast::engine::redis
