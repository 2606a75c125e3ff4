#include "holdfast/engine/redis/node/node.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace holdfast::engine::redis {

using base::instant;

namespace {

script_set scripts_for(const options& options) noexcept {
    if (options.cluster) { return scripts::cluster_session_scripts; }
    if (options.max_lease.count() > 0) { return scripts::grace_session_scripts; }
    return scripts::session_scripts;
}

} // namespace

node::node(const options& options, server_source& source, std::vector<std::string> inbox_channels,
           message_handler& inbox, node_listener& listener)
    : options_{options},
      source_{source},
      inbox_{inbox},
      listener_{listener},
      greeting_{std::move(inbox_channels), scripts_for(options)},
      reconnector_{options, source, [this](instant now) { return greet(now); }},
      channel_{{options.command_timeout, options.replicas, options.max_lease, options.prefix}} {
    if (options.cluster) { channel_.set_refusal_handler(*this); }
}

connection::first_commands node::greet(instant now) {
    greeting_.start(now);
    for (const auto& channel : greeting_.channels()) {
        channel_.subscriptions().note(channel, inbox_);
    }
    return {greeting_.commands(), greeting_.reply_count()};
}

void node::connect(instant now, connect_when when) {
    if (!being_read_) { reconnector_.open(now, when); }
}

void node::drive_connection(std::span<const pollfd> ready, instant now) {
    // After a reset: their operations are forgotten, but the requests may still arrive.
    if (channel_.requests().has_lost()) { channel_.requests().fail_lost({}, now); }
    if (being_read_) { return; }
    handle(reconnector_.drive(ready, now, [this, now](const reply& reply) { on_data(reply, now); }),
           now);
}

void node::read(instant now) {
    const pollfd mine{reconnector_.current()->wanted().fd, POLLIN, POLLIN};
    handle(reconnector_.drive({&mine, 1}, now,
                              [this, now](const reply& reply) { on_data(reply, now); }),
           now);
}

void node::on_data(const reply& reply, instant now) {
    channel_.watchdog().on_data(now);
    const bool subscribed = reply.is_push() && reply.word(0) == "subscribe";
    if (!reconnector_.is_ready() && (subscribed || !reply.is_push())) {
        const auto rejected = greeting_.on_reply(reply, channel_.clock(), now);
        if (rejected) { reconnector_.break_off(rejected->code, server() + rejected->reason); }
    } else if (reply.is_push()) {
        channel_.subscriptions().on_push(reply, now);
    } else if (const char* const fault = channel_.on_reply(reply, now)) {
        reconnector_.break_off(errc::unavailable, server() + fault);
    } else if (channel_.incarnation().is_on()) {
        check_incarnation(now);
    }
}

void node::check_incarnation(instant now) {
    auto& incarnation = channel_.incarnation();
    if (const auto& fault = incarnation.fault()) {
        reconnector_.break_off(fault->code, server() + fault->reason);
    } else if (incarnation.take_news()) {
        listener_.on_ready(*this, std::exchange(was_ready_, true), now);
    }
}

void node::on_change(reconnector::change change, instant now) {
    if (change == reconnector::change::ready) {
        channel_.start_session(reconnector_.current()->output(), greeting_.scripts(),
                               reconnector_.current()->address(), now);
        if (is_ready()) { listener_.on_ready(*this, std::exchange(was_ready_, true), now); }
    }
    if (change != reconnector::change::ended) { return; }
    channel_.end_session();
    watermark_is_raised_ = false;
    const connection_loss loss{reconnector_.code(), reconnector_.detail(),
                               reconnector_.was_ready() && !std::exchange(timed_out_, false)};
    channel_.requests().fail_lost(loss, now);
    listener_.on_ended(*this, loss);
}

direct_read node::start_direct_read() {
    constexpr std::size_t max_at_once = 65'536;
    if (!has_session() || channel_.requests().has_unsent() || watermark_is_raised_) { return {}; }
    const int descriptor = reconnector_.current()->plain_descriptor();
    if (descriptor < 0) { return {}; }
    direct_buffer_.resize(max_at_once);
    being_read_ = true;
    return {.descriptor = descriptor, .buffer = direct_buffer_, .spin = options_.spin};
}

void node::finish_direct_read(ssize_t count, int error, instant now) {
    being_read_ = false;
    if (count > 0) {
        const auto bytes = std::span{direct_buffer_}.first(static_cast<std::size_t>(count));
        handle(
            reconnector_.take(bytes, now, [this, now](const reply& reply) { on_data(reply, now); }),
            now);
    } else if (count == 0 || (error != EAGAIN && error != EINTR)) {
        read(now); // the connection detects the error itself
    }
}

void node::flush(flush_occasion occasion, instant now) {
    if (!has_session()) { return; }
    if (now >= channel_.incarnation().due()) { channel_.incarnation().on_timer(now); }
    auto& requests = channel_.requests();
    requests.note_sent(); // the connection writes what is buffered when it reads
    const channel_traffic traffic{requests.in_flight(), requests.sent(), being_read_};
    if (requests.unsent_bytes() == 0 && !channel_.must_ask_replicas()) {
        channel_.batcher().on_empty();
    } else if (channel_.batcher().should_flush(occasion, traffic, now)) {
        channel_.before_flush(now);
        raise_watermark(channel_.watermark().wants_raising(requests.in_flight()));
        reconnector_.current()->flush();
        requests.note_sent();
    }
    if (watermark_is_raised_ && requests.sent_requests() > 0 &&
        now >= requests.front().enqueued + channel_.watermark().longest()) {
        raise_watermark(false);
    }
}

void node::raise_watermark(bool raise) {
    if (raise == watermark_is_raised_) { return; }
    watermark_is_raised_ = raise;
    reconnector_.current()->set_receive_low_watermark(raise ? receive_watermark::raised_bytes : 1);
}

void node::read_once_more(instant now) {
    if (being_read_ || !has_session() || channel_.requests().sent_requests() == 0) { return; }
    read(now);
}

void node::break_off_dead(instant now) {
    if (being_read_ || !has_session()) { return; }
    const bool renewal_failed = channel_.watchdog().renewal_failed();
    const auto waited =
        renewal_failed ? std::string{"in time"}
                       : "within " + std::to_string(channel_.watchdog().timeout().count()) + " ms";
    timed_out_ = true;
    reconnector_.break_off(errc::unavailable, server() + ": no answer " + waited);
    handle(reconnector_.drive({}, now, {}), now);
    if (renewal_failed) { reconnector_.open(now, connect_when::at_once); }
}

bool node::break_off(std::string detail) {
    // The socket stays open until the next connection: a direct read may be running.
    reconnector_.break_off(errc::unavailable, std::move(detail));
    return reconnector_.has_end_to_report();
}

instant node::due() const noexcept {
    if (!has_session()) { return reconnector_.due(); } // with one that has nothing to do
    instant next = std::min(channel_.batcher().due(), channel_.incarnation().due());
    const auto& requests = channel_.requests();
    if (!requests.empty()) {
        const auto oldest = requests.front().enqueued;
        next = std::min(next, watermark_is_raised_ ? oldest + channel_.watermark().longest()
                                                   : channel_.watchdog().deadline(oldest));
    }
    return next;
}

void node::reset() noexcept {
    // The socket stays open until `drive`: a direct read may be running.
    channel_.end_session();
    watermark_is_raised_ = false;
    reconnector_.break_off(errc::unavailable,
                           "out of memory"); // short enough to need no allocation
}

std::string node::why_not_ready() const {
    if (has_session()) { return server() + channel_.incarnation().trouble(); }
    if (auto why = source_.why_no_endpoint(); !why.empty()) { return why; }
    return reconnector_.detail().empty() ? server() + ": not connected yet" : reconnector_.detail();
}

std::string node::about() const {
    return reconnector_.current()->about() + " at " + reconnector_.current()->address();
}

std::string node::server() const {
    const auto* const current = reconnector_.current();
    return current != nullptr ? "Redis at " + current->address() : source_.server();
}

} // namespace holdfast::engine::redis
