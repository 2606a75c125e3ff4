#include "holdfast/engine/redis/node/command_channel.hpp"

#include "holdfast/engine/redis/protocol/command.hpp"
#include "holdfast/engine/redis/protocol/redirection.hpp"

#include <holdfast/error.hpp>

#include <utility>

namespace holdfast::engine::redis {

namespace {

constexpr const char* unexpected_reply =
    ": it sent a reply that was not expected; check the address";
constexpr const char* became_replica = ": it is a read-only replica now";

/// ASKING is always answered +OK.
class asking_handler final : public request_handler {
public:
    [[nodiscard]] bool on_reply(request& /*request*/, const reply& reply,
                                base::instant /*now*/) override {
        return reply.is_text();
    }
};
asking_handler accept_asking; // has no state

} // namespace

void command_channel::start_session(output_buffer& output, script_set loaded, std::string server,
                                    base::instant now) {
    server_ = std::move(server);
    scripts_.start_session(loaded);
    requests_.start_session(output);
    open_ = true;
    incarnation_.start_session(now);
}

void command_channel::end_session() noexcept {
    open_ = false;
    lacks_replicas_ = false;
    requests_.end_session();
    batcher_.on_empty();
    watermark_.end_session();
    watchdog_.end_session();
    scripts_.end_session();
    subscriptions_.end_session();
    replicas_.end_session();
    incarnation_.end_session();
}

const char* command_channel::on_reply(const reply& reply, base::instant now) {
    if (!requests_.awaits_reply()) { return unexpected_reply; }
    const request& next = requests_.next();
    if (replicas_.is_wait(next)) { return on_acknowledged(reply, now); }
    if (replicas_.is_write(next)) {
        on_written(reply, now);
        return nullptr;
    }
    if (requests_.held_back() > 0 && next.handler == &incarnation_) {
        return deliver_early(reply, now);
    }
    if (next.needs_replicas || requests_.held_back() > 0) {
        requests_.hold_back(reply);
        return nullptr;
    }
    return deliver(reply, now);
}

/// An incarnation's answer decides whether the replies before it count, so it is not held back.
const char* command_channel::deliver_early(const reply& reply, base::instant now) {
    request& next = requests_.next();
    if (reply.is_error()) {
        incarnation_.on_error(next, parse_server_error(reply.text(), server_), now);
    } else if (!incarnation_.on_reply(next, reply, now)) {
        return unexpected_reply;
    }
    requests_.pass_over();
    return nullptr;
}

void command_channel::send_asking(operation& operation, base::instant now) {
    operation.routing.asking_first = false;
    requests_.enqueue(accept_asking, 0, nullptr, now,
                      [](std::string& out) { append_command(out, {"ASKING"}); });
}

void command_channel::before_flush(base::instant now) {
    if (!replicas_.is_due()) { return; }
    incarnation_.confirm(now);
    replicas_.enqueue_wait(requests_, now);
}

/// Hands a reply to the first request. Returns what `on_reply` does.
const char* command_channel::deliver(const reply& reply, base::instant now) {
    request& first = requests_.front();
    const std::size_t suppressed = first.suppressible ? first.weight() : 0;
    const char* fault = nullptr;
    if (reply.is_error() && refusals_ != nullptr &&
        refusals_->on_refused(first, reply.text(), now)) {
        requests_.drop_front();
    } else if (reply.is_error()) {
        auto error = parse_server_error(reply.text(), server_);
        if (refusals_ != nullptr && is_redirection(reply.text())) { // which cannot be followed
            error.code = make_error_code(errc::unavailable);
            error.detail = "Redis at " + server_ + ": it does not know yet where the lock's slot " +
                           "has moved; try again soon";
        }
        if (error.scripts_are_gone && first.handler != &scripts_) { scripts_.reload(now); }
        requests_.deliver_error(error, now);
        // Such a connection would live on, also while the server is the master again.
        if (error.is_replica) { fault = became_replica; }
    } else if (!requests_.deliver(reply, now)) {
        return unexpected_reply; // the result of the request is unknown
    }
    watermark_.remove(suppressed);
    return fault;
}

/// The write before a WAIT: without it, that says nothing.
void command_channel::on_written(const reply& reply, base::instant now) {
    replicas_.on_written(reply);
    if (reply.is_error() && refusals_ != nullptr) {
        static_cast<void>(refusals_->on_refused(requests_.next(), reply.text(), now));
    }
    if (requests_.held_back() > 0) {
        requests_.pass_over();
    } else {
        requests_.drop_front();
    }
}

/// The replicas have acknowledged what was sent before, or too few of them: then the requests that
/// need them count as unanswered. What the server refused has not happened, whatever they say.
const char* command_channel::on_acknowledged(const reply& reply, base::instant now) {
    const auto shortage = replicas_.shortage(requests_.next(), reply, server_);
    lacks_replicas_ = shortage.has_value();
    const char* fault = replica_wait::lost_by_demotion(reply) ? became_replica : nullptr;
    while (requests_.held_back() > 0) {
        request& first = requests_.front();
        if (first.kept == nullptr) { // a subscription, confirmed by a push
            requests_.drop_front();
            continue;
        }
        const auto kept = std::move(first.kept);
        if (shortage && first.needs_replicas && !kept->view().is_error()) {
            watermark_.remove(first.suppressible ? first.weight() : 0);
            requests_.disregard_front(*shortage, now);
        } else if (const char* const wrong = deliver(kept->view(), now)) {
            if (wrong == unexpected_reply) { return wrong; }
            fault = wrong;
        }
    }
    requests_.drop_front(); // the WAIT
    return fault;
}

} // namespace holdfast::engine::redis
