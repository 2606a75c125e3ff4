#pragma once
// Answers diagnose: whether a server is configured to hold locks.

#include "holdfast/engine/redis/node/node.hpp"

namespace holdfast::engine::redis {

/// Answers `diagnose_op`: which server it is, and whether it may evict locks.
///
/// Thread safety: none.
class diagnosis final : public request_handler {
public:
    /// `about` says which server it is. REQUIRES: node.is_ready().
    void begin(operation& operation, node& node, std::string about, base::instant now);

    [[nodiscard]] bool on_reply(request& request, const reply& reply, base::instant now) override;
    /// If the user may not run INFO, the report says so.
    void on_error(request& request, const server_error& error, base::instant now) override;
};

/// A warning by the text of INFO, to follow `; `. Empty: locks cannot be evicted.
[[nodiscard]] std::string eviction_warning(std::string_view info);

} // namespace holdfast::engine::redis
