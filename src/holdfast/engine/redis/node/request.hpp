#pragma once
// One command on a connection, and the handler of its outcome.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/redis/operation.hpp"
#include "holdfast/engine/redis/protocol/reply.hpp"
#include "holdfast/engine/redis/protocol/server_error.hpp"

#include <cstdint>
#include <memory>

namespace holdfast::engine::redis {

struct request;

/// The layout, or the part of the node, that enqueued a request. Each request ends by exactly one
/// of these calls.
class request_handler {
public:
    request_handler() = default;
    request_handler(const request_handler&) = delete;
    request_handler& operator=(const request_handler&) = delete;

    /// False: it cannot be a reply to that request, so replies and requests no longer match. Then
    /// nothing was done.
    [[nodiscard]] virtual bool on_reply(request& request, const reply& reply,
                                        base::instant now) = 0;
    /// The server refused it, so it has done nothing, unless `error.may_be_done`. Fails the
    /// operation unless overridden.
    virtual void on_error(request& request, const server_error& error, base::instant now);
    /// A node of a cluster has not executed it, and named another one, whose channel this is.
    /// False: it is not worth another request.
    [[nodiscard]] virtual bool resend(request& /*request*/, command_channel& /*to*/,
                                      base::instant /*now*/) {
        return false;
    }
    /// The connection ended first. `may_arrive`: the server may have executed it, or may yet. The
    /// operation is failed by the pipeline, after this.
    virtual void on_lost(request& /*request*/, bool /*may_arrive*/, base::instant /*now*/) {}

protected:
    ~request_handler() = default;
};

struct request {
    static constexpr std::uint64_t unknown_end = ~std::uint64_t{0}; ///< it is not written yet

    request_handler* handler = nullptr;
    std::uint8_t kind = 0;       ///< of the handler's own enumeration: see `is`
    bool suppressible = false;   ///< a short reply may stay unread: see receive_watermark
    bool needs_replicas = false; ///< its reply counts only when replicas have it: see replica_wait
    operation_ref op{};          ///< empty: no operation needs the reply
    operation_ref merged{};      ///< a second operation that the same command serves
    base::instant enqueued{};
    std::uint64_t begin = 0;            ///< in bytes of the session, where its command begins
    std::uint64_t end = unknown_end;    ///< where it ends
    std::unique_ptr<kept_reply> kept{}; ///< held back by the pipeline; null: a confirmation

    template <typename Kind>
    [[nodiscard]] bool is(Kind other) const noexcept {
        return static_cast<Kind>(kind) == other;
    }
    /// Drops the references to its operations.
    void clear() noexcept {
        suppressible = needs_replicas = false;
        op.reset();
        merged.reset();
        kept.reset();
        end = unknown_end;
    }
    /// How many operations it serves.
    [[nodiscard]] std::size_t weight() const noexcept { return merged ? 2 : 1; }
};

inline void request_handler::on_error(request& request, const server_error& error,
                                      base::instant /*now*/) {
    if (request.op) {
        request.op->fail(error.code, error.detail,
                         error.may_be_done ? op_status::unknown : op_status::failed,
                         error.retry_now());
    }
}

} // namespace holdfast::engine::redis
