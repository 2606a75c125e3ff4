#include "holdfast/engine/redis/node/replica_wait.hpp"

#include "holdfast/engine/redis/protocol/command.hpp"

#include <holdfast/error.hpp>

namespace holdfast::engine::redis {

void replica_wait::enqueue_wait(pipeline& requests, base::instant now) {
    if (!due_) { return; }
    const auto enqueue = [&](request_kind kind, auto write) {
        requests.enqueue(*this, static_cast<std::uint8_t>(kind), nullptr, now, write);
    };
    constexpr const char* an_hour = "3600000";
    if (write_due_) {
        enqueue(request_kind::write, [&](std::string& out) {
            if (exists_) {
                append_command(out, {"PEXPIRE", key_, an_hour});
            } else {
                append_command(out, {"SET", key_, "", "PX", an_hour});
            }
        });
    }
    const auto kind = write_due_ ? request_kind::wait_after_write : request_kind::wait;
    enqueue(kind, [this](std::string& out) {
        append_command(out, {"WAIT", std::to_string(replicas_), std::to_string(timeout_.count())});
    });
    due_ = write_due_ = false;
}

bool replica_wait::lost_by_demotion(const reply& reply) noexcept {
    return reply.is_error() && (reply.text().starts_with("UNBLOCKED") ||
                                reply.text().find("replica instances") != std::string_view::npos);
}

std::optional<connection_loss> replica_wait::shortage(const request& request, const reply& reply,
                                                      const std::string& server) const {
    connection_loss out;
    out.code = make_error_code(errc::unavailable);
    if (reply.is_error()) { // it became a replica, or the user lacks the right
        auto error = parse_server_error(reply.text(), server);
        if (error.code != errc::internal) { out.code = error.code; }
        out.detail = std::move(error.detail);
        return out;
    }
    if (!exists_ && request.is(request_kind::wait_after_write)) {
        out.detail = "Redis at " + server + ": it did not write " + key_ +
                     ", by which replicas acknowledge what was done before; try again";
        return out;
    }
    if (reply.is_integer() && reply.integer() >= replicas_) { return std::nullopt; }
    out.detail = "Redis at " + server + ": " + std::to_string(reply.integer()) + " of " +
                 std::to_string(replicas_) +
                 " replicas have acknowledged the request; see whether they are connected, or "
                 "lower replicas in the URL";
    return out;
}

} // namespace holdfast::engine::redis
