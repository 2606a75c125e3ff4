#pragma once
// The scripts that are loaded in this session.

#include "holdfast/engine/redis/node/pipeline.hpp"
#include "holdfast/engine/redis/scripts.hpp"

#include <span>
#include <vector>

namespace holdfast::engine::redis {

/// Scripts that are loaded together; the arrays have static storage.
using script_set = std::span<const script* const>;

/// Enqueues SCRIPT LOAD ahead of the first command that needs a script, on the same connection, so
/// that no command waits for it; and loads all again when the server has lost them (NOSCRIPT).
///
/// Thread safety: none.
class script_cache final : public request_handler {
public:
    explicit script_cache(pipeline& requests) noexcept : requests_{requests} {}

    /// The greeting has loaded these.
    void start_session(script_set loaded);
    void end_session() noexcept;

    [[nodiscard]] bool has(script_set set) const noexcept;
    /// Loads them if necessary: commands that are enqueued after this can use them.
    void ensure(script_set set, base::instant now);
    /// The server has lost them. Does nothing while they are being loaded.
    void reload(base::instant now);

    [[nodiscard]] bool on_reply(request& request, const reply& reply, base::instant now) override;
    void on_error(request& request, const server_error& error, base::instant now) override;

private:
    void load(script_set set, base::instant now);

    pipeline& requests_;
    std::vector<script_set> loaded_;
    std::size_t loading_ = 0; ///< SCRIPT LOADs in flight
};

} // namespace holdfast::engine::redis
