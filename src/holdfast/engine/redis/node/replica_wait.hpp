#pragma once
// Acquires and renewals that count only when replicas have them (`replicas=N` in the URL).

#include "holdfast/engine/redis/node/pipeline.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace holdfast::engine::redis {

/// Sends one WAIT behind each batch of requests that contains an acquire or a renewal. The channel
/// holds the replies back until that of the WAIT.
///
/// On Redis 8.0 and Valkey 8, WAIT covers what the connection itself has written, and not what it
/// has read, such as a grant that another client wrote; on Redis 7.0 it covers both. So a WAIT
/// follows a write of its own, to a key that exists for this: replicas that acknowledge it have
/// all that was done before. It is a PEXPIRE, which a server at its maxmemory executes, too. A
/// batch whose grants can only be writes of its own, first requests of their tickets, needs none.
///
/// WAIT blocks what follows on the connection, so its time-out is short.
///
/// Thread safety: none.
class replica_wait final : public request_handler {
public:
    replica_wait(unsigned replicas, base::milliseconds command_timeout, std::string key)
        : replicas_{replicas},
          timeout_{std::min(longest, command_timeout / 2)},
          key_{std::move(key)} {}

    /// The key to write, instead of the former one.
    void set_key(std::string key) {
        exists_ = exists_ && key == key_;
        key_ = std::move(key);
    }

    /// Marks a request of an operation that needs replicas.
    void note(request& request, const operation& operation) noexcept {
        request.needs_replicas = operation.needs_replicas;
        due_ = due_ || operation.needs_replicas;
        write_due_ = write_due_ || (operation.needs_replicas && !operation.only_own_writes);
    }
    /// Enqueues a WAIT, and before it a write where that is needed, if a marked request was
    /// enqueued since the last one.
    void enqueue_wait(pipeline& requests, base::instant now);
    [[nodiscard]] bool is_due() const noexcept { return due_; }
    void end_session() noexcept { due_ = write_due_ = exists_ = false; }

    [[nodiscard]] bool is_write(const request& request) const noexcept {
        return request.handler == this && request.is(request_kind::write);
    }
    [[nodiscard]] bool is_wait(const request& request) const noexcept {
        return request.handler == this && !request.is(request_kind::write);
    }
    void on_written(const reply& reply) noexcept {
        exists_ = reply.is_integer() ? reply.integer() == 1 : !reply.is_error();
    }
    /// Empty: enough replicas have acknowledged. `reply` is that of the WAIT `request`.
    [[nodiscard]] std::optional<connection_loss>
    shortage(const request& request, const reply& reply, const std::string& server) const;

    /// The reply to a WAIT shows that the server is no master any more.
    [[nodiscard]] static bool lost_by_demotion(const reply& reply) noexcept;

    /// The channel handles the replies.
    [[nodiscard]] bool on_reply(request& /*request*/, const reply& /*reply*/,
                                base::instant /*now*/) override {
        return false;
    }

private:
    enum class request_kind : std::uint8_t { write, wait_after_write, wait };
    static constexpr base::milliseconds longest{100};

    unsigned replicas_;
    base::milliseconds timeout_; ///< shorter than the server's silence that ends the connection
    std::string key_;
    bool exists_ = false;    ///< the key: the last write was done
    bool due_ = false;       ///< a marked request is behind the last WAIT
    bool write_due_ = false; ///< its reply may tell of what others have written
};

} // namespace holdfast::engine::redis
