#pragma once
// Acquires and renewals that count only when replicas have them (`replicas=N` in the URL).

#include "holdfast/engine/redis/node/pipeline.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace holdfast::engine::redis {

/// Sends one WAIT behind each batch of requests that contains an acquire or a renewal. It covers
/// all that was sent before it on the connection, also what was only read. The channel holds the
/// replies back until that of the WAIT.
///
/// WAIT blocks what follows on the connection, so its time-out is short.
///
/// Thread safety: none.
class replica_wait final : public request_handler {
public:
    replica_wait(unsigned replicas, base::milliseconds command_timeout) noexcept
        : replicas_{replicas}, timeout_{std::min(longest, command_timeout / 2)} {}

    /// Marks a request of an operation that needs replicas.
    void note(request& request, const operation& operation) noexcept {
        request.needs_replicas = operation.needs_replicas;
        due_ = due_ || operation.needs_replicas;
    }
    /// Enqueues a WAIT, if a marked request was enqueued since the last one.
    void enqueue_wait(pipeline& requests, base::instant now);
    [[nodiscard]] bool is_due() const noexcept { return due_; }
    void end_session() noexcept { due_ = false; }

    [[nodiscard]] bool is_wait(const request& request) const noexcept {
        return request.handler == this;
    }
    /// Empty: enough replicas have acknowledged. `reply` is that of a WAIT.
    [[nodiscard]] std::optional<connection_loss> shortage(const reply& reply,
                                                          const std::string& server) const;

    /// The reply to a WAIT shows that the server is no master any more.
    [[nodiscard]] static bool lost_by_demotion(const reply& reply) noexcept;

    /// The channel handles the replies.
    [[nodiscard]] bool on_reply(request& /*request*/, const reply& /*reply*/,
                                base::instant /*now*/) override {
        return false;
    }

private:
    static constexpr base::milliseconds longest{100};

    unsigned replicas_;
    base::milliseconds timeout_; ///< shorter than the server's silence that ends the connection
    bool due_ = false;           ///< a marked request is behind the last WAIT
};

} // namespace holdfast::engine::redis
