// The engine's turns: what it does when it is driven, and when a connection comes or goes.

#include "holdfast/engine/redis/redis_engine.hpp"

#include "holdfast/engine/redis/command.hpp"
#include "holdfast/engine/redis/scripts.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <utility>

namespace holdfast::engine::redis {

using base::instant;

namespace {

/// That a client listens to from the beginning: its own inbox, and that of all.
constexpr std::size_t channels = 2;

/// A server does nothing before it has read the whole command.
bool may_have_arrived(const flight& request, std::uint64_t bytes_sent) noexcept {
    return request.end <= bytes_sent;
}

} // namespace

redis_engine::redis_engine(place where, const client_identity& identity)
    : where_{std::move(where)},
      client_{identity.client},
      time_{*identity.time},
      layout_{where_.prefix, identity},
      plain_{where_, identity},
      redisson_{where_, identity},
      link_{where_, [this] { return greeting(); }} {}

capabilities redis_engine::native_caps() {
    capabilities can;
    can.supported = true;
    can.fifo = true;
    can.queue = queueing::grant;
    can.fencing = true;
    can.min_hold = true;
    return can;
}

session::greeting redis_engine::greeting() {
    session::greeting out;
    append_command(out.commands, {"SUBSCRIBE", layout_.inbox(), layout_.inbox_of_all()});
    for (const auto* const script : scripts::usual) {
        append_command(out.commands, {"SCRIPT", "LOAD", script->text});
    }
    append_command(out.commands, {"TIME"});
    out.count = channels + scripts::usual.size() + 1;
    greeted_ = 0;
    written_ = 0;
    greeting_sent_ = time_.now();
    return out;
}

void redis_engine::heard_greeting(const reply& reply, instant now) {
    const std::size_t at = greeted_++;
    const std::size_t script = at - channels;
    if (at < channels) {
        if (reply.is_push()) { return; }
        link_.break_off(errc::unsupported,
                        server() + " does not speak RESP3 (HELLO 3); Holdfast needs Redis 7.0 or "
                                   "later, or Valkey");
    } else if (script >= scripts::usual.size() && reply.size() == 2) {
        clock_.learn(reply.number(0) * 1'000'000 + reply.number(1), greeting_sent_, now);
    } else if (script >= scripts::usual.size() || reply.text() != scripts::usual.at(script)->sha) {
        link_.break_off(errc::unavailable, server() + ": an answer to something else");
    }
}

instant redis_engine::clock() const noexcept {
    const auto seen = sink_->now();
    return seen == base::never ? time_.now() : seen;
}

void redis_engine::pollables(std::vector<pollfd>& out) const { link_.pollables(out); }

void redis_engine::heard_anything(const reply& reply, instant now) {
    heard_at_ = now;
    is_dead_ = false;
    const bool subscribed = reply.is_push() && reply.word(0) == "subscribe";
    if (!link_.ready() && (subscribed || !reply.is_push())) {
        heard_greeting(reply, now);
    } else if (reply.is_push()) {
        heard_message(reply, now);
    } else {
        heard(reply, now);
    }
}

instant redis_engine::drive(std::span<const pollfd> ready, instant now) {
    assert(sink_ != nullptr);
    if (!abandoned_.empty()) {
        note_late(abandoned_, abandoned_bytes_, now);
        abandoned_ = {};
    }
    if (!read_by_others_) {
        changed(link_.drive(ready, now,
                            [this, now](const reply& reply) { heard_anything(reply, now); }),
                now);
    }
    return go_on(ready.empty(), now);
}

direct redis_engine::expect() {
    constexpr std::size_t most_at_once = 65'536;
    if (!link_.ready() || on_the_way_ < flights_.size() || lets_lie_) { return {}; }
    const int descriptor = link_.now()->plain_descriptor();
    if (descriptor < 0) { return {}; }
    direct_.resize(most_at_once);
    read_by_others_ = true;
    return {descriptor, direct_, where_.spin};
}

instant redis_engine::received(ssize_t count, int error, instant now) {
    read_by_others_ = false;
    const auto hear = [this, now](const reply& reply) { heard_anything(reply, now); };
    if (count > 0) {
        const auto bytes = std::span{direct_}.first(static_cast<std::size_t>(count));
        changed(link_.take(bytes, now, hear), now);
    } else if (count == 0 || (error != EAGAIN && error != EINTR)) {
        // The session finds out by itself what is wrong.
        const pollfd mine{link_.now()->wanted().fd, POLLIN, POLLIN};
        changed(link_.drive({&mine, 1}, now, hear), now);
    }
    return go_on(false, now);
}

instant redis_engine::go_on(bool gather, instant now) {
    if (!waiting_.empty()) { send_waiting(now); }
    if (now >= waits_.due()) { stop_listening(now); }
    if (now >= late_.due() && link_.ready()) { undo_late(now); }
    flush(gather, now);
    if (lets_lie_ && on_the_way_ > 0 && now >= flights_.front().sent + longest_lie()) {
        let_short_answers_lie(false);
    }
    read_before_time_is_up(now);
    if (now >= earliest_) { give_up(now); }
    break_off_if_dead(now);
    return due();
}

/// While much is on its way its answers will come soon: what is asked meanwhile waits for them and
/// goes out in one write, by whoever reads them. But when as many have asked as do at most, nobody
/// else will come, and the server shall not run out of work until they have their answers. While
/// nobody reads, what can wait does.
void redis_engine::flush(bool gather, instant now) {
    constexpr std::size_t few = 4;
    if (!link_.ready()) { return; }
    count_sent(); // what the socket had no room for, the session may have sent since
    if (link_.now()->out().empty()) { return; }
    const bool others_may_come = on_the_way_ >= few && flights_.size() < most_lately_;
    if (gather && read_by_others_ && others_may_come) { return; }
    // Less by one each time that it had to be waited for.
    if (!gather && most_lately_ > 0) { --most_lately_; }
    most_lately_ = std::max(most_lately_, flights_.size());
    const bool all_can_wait = patient_ == flights_.size() - on_the_way_;
    if (gather && !read_by_others_ && all_can_wait && now < patient_until_) { return; }
    patient_ = 0;
    let_short_answers_lie(crowded_ && quiet_ == flights_.size());
    link_.now()->flush();
    count_sent();
}

void redis_engine::count_sent() {
    const auto sent = link_.now()->sent();
    while (on_the_way_ < flights_.size() && flights_[on_the_way_].end <= sent) { ++on_the_way_; }
}

/// In a crowd nobody needs to know at once that it waits: to be woken for that would cost as much
/// as to be woken for the grant. Answers that somebody needs are longer; see acquire.lua. After
/// `longest_lie` even a short one is fetched: who waits has to send heartbeats.
void redis_engine::let_short_answers_lie(bool yes) {
    constexpr int longer = 12;
    if (yes == lets_lie_) { return; }
    lets_lie_ = yes;
    link_.now()->readable_from(yes ? longer : 1);
}

void redis_engine::changed(link::change change, instant now) {
    if (change == link::change::ready && !late_.empty()) { late_.reconnected(now); }
    // Messages may have been missed meanwhile.
    if (change == link::change::ready && std::exchange(was_ready_, true)) {
        sink_->noticed({notice::kind::inbox_reset, 0, 0});
    }
    if (change != link::change::ended) { return; }
    const auto sent = link_.now()->sent();
    const auto code = link_.code();
    note_late(flights_, sent, now);
    const auto lost = std::exchange(flights_, {});
    const bool retry_now = link_.was_ready() && !std::exchange(timed_out_, false);
    forget_session();
    for (std::size_t at = 0; at < lost.size(); ++at) {
        const flight& each = lost[at];
        if (each.answered || each.cancelled || each.id == 0) { continue; }
        const bool arrived = may_have_arrived(each, sent);
        fail(each.id, code, link_.detail(), arrived ? op_status::unknown : op_status::failed,
             retry_now);
    }
    fail_waiting(code, link_.detail(), retry_now);
    if (now >= earliest_) { give_up(now); }
}

void redis_engine::forget_session() noexcept {
    on_the_way_ = quiet_ = patient_ = 0;
    lets_lie_ = is_dead_ = false;
    waits_.lost();
    plain_loaded_ = redisson_loaded_ = false;
    exchange_ = exchanging::unused;
}

/// Remembers the acquires among `requests` that may reach the server after this session.
void redis_engine::note_late(const flights& requests, std::uint64_t sent, instant now) {
    for (std::size_t at = 0; at < requests.size(); ++at) {
        const flight& request = requests[at];
        if (!may_have_arrived(request, sent)) { continue; }
        if (request.in == nullptr && request.kind == request_kind::acquire) {
            attempts_.add(request.ticket.owner.number, request.not_after_us, clock_.translate(now));
        }
        note_late(request, now);
    }
}

/// A command may be half written, a reply half read: the next session begins anew. The socket stays
/// open until then, since others may be reading from it. What was sent may still arrive: `drive`
/// notes that, since it needs memory.
void redis_engine::reset() noexcept {
    if (!flights_.empty()) {
        abandoned_bytes_ = link_.now()->sent();
        abandoned_ = std::exchange(flights_, {});
    }
    link_.break_off(errc::unavailable, "out of memory"); // short enough to need none
    waiting_.clear();
    forget_session();
    earliest_ = base::never;
}

void redis_engine::fail_waiting(std::error_code code, const std::string& detail, bool retry_now) {
    const auto all = std::exchange(waiting_, {});
    for (const waiting& pending : all) {
        fail(pending.id, code, detail, op_status::failed, retry_now);
    }
}

/// Every operation is answered by the instant that was asked for, whatever the server does.
void redis_engine::give_up(instant now) {
    earliest_ = base::never;
    std::erase_if(waiting_, [&](const waiting& pending) {
        if (pending.give_up > now) {
            earliest_ = std::min(earliest_, pending.give_up);
            return false;
        }
        fail(pending.id, errc::unavailable,
             link_.detail().empty() ? server() + ": not connected yet" : link_.detail());
        return true;
    });
    for (std::size_t at = 0; at < flights_.size(); ++at) {
        flight& each = flights_[at];
        if (each.answered || each.id == 0) { continue; }
        if (each.give_up > now) {
            earliest_ = std::min(earliest_, each.give_up);
            continue;
        }
        each.answered = true;
        is_dead_ = is_dead_ || (each.renews && is_silent(each, now));
        fail(each.id, errc::unavailable, server() + ": no answer in time", op_status::unknown);
    }
}

/// Whether nothing has come for half of the time that this has been waiting for. A server that is
/// merely busy goes on answering those who asked before.
bool redis_engine::is_silent(const flight& since, instant now) const noexcept {
    return now - std::max(heard_at_, since.sent) >= (now - since.sent) / 2;
}

/// Answers may be here, unread: they lie, or this process was stopped.
void redis_engine::read_before_time_is_up(instant now) {
    if (read_by_others_ || !link_.ready() || on_the_way_ == 0) { return; }
    if (now < earliest_ && now < flights_.front().sent + where_.command_timeout) { return; }
    const pollfd mine{link_.now()->wanted().fd, POLLIN, POLLIN};
    changed(
        link_.drive({&mine, 1}, now, [this, now](const reply& next) { heard_anything(next, now); }),
        now);
}

/// A connection that does not answer is given up after `timeout`, and also when a renewal waited in
/// vain for its share of the lease: the rest of it is needed for another connection.
void redis_engine::break_off_if_dead(instant now) {
    if (read_by_others_ || !link_.ready()) { return; }
    const bool overdue = !flights_.empty() && now >= flights_.front().sent + where_.command_timeout;
    if (!overdue && !is_dead_) { return; }
    const auto waited = is_dead_
                            ? std::string{"in time to a renewal"}
                            : "within " + std::to_string(where_.command_timeout.count()) + " ms";
    const bool at_once = is_dead_;
    timed_out_ = true;
    link_.break_off(errc::unavailable, server() + ": no answer " + waited);
    changed(link_.drive({}, now, {}), now);
    if (at_once) { link_.open(now, link::when::at_once); }
}

instant redis_engine::due() const noexcept {
    instant next = std::min({earliest_, link_.due(), waits_.due()});
    if (link_.ready()) { next = std::min(next, late_.due()); }
    if (patient_ > 0) { next = std::min(next, patient_until_); }
    if (!flights_.empty()) {
        const auto soon = lets_lie_ ? longest_lie() : where_.command_timeout;
        next = std::min(next, flights_.front().sent + soon);
    }
    return next;
}

/// Half of the time-out at most: what lies is read before it counts as missing.
base::milliseconds redis_engine::longest_lie() const noexcept {
    constexpr base::milliseconds longest{200};
    return std::min(longest, where_.command_timeout / 2);
}

} // namespace holdfast::engine::redis
