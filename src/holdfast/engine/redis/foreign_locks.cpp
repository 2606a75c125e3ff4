// The part of the engine for locks in layouts that others made. They have no queue: whoever finds
// one held listens to its channel and asks again, when it is told or now and then.
//
//   free                 plain: SET NX, nothing else       redisson: its script
//   held, a try          busy
//   held, to be waited   SUBSCRIBE, and ask once more by the script, behind it on the same
//                        connection: a release after that is heard. Then `queued`.
//   a message            the first of this client's waiters hears `maybe_free` and asks again
//   nothing is heard     beats of waiters are answered here, `lost`: ask again

#include "holdfast/engine/redis/command.hpp"
#include "holdfast/engine/redis/failure.hpp"
#include "holdfast/engine/redis/redis_engine.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <utility>
#include <variant>

namespace holdfast::engine::redis {

using base::instant;

namespace {

const lock_format& how_of(const acquire_op& operation) { return operation.ticket.format; }
const lock_format& how_of(const release_op& operation) { return operation.ticket.format; }
const lock_format& how_of(const withdraw_op& operation) { return operation.ticket.format; }
const lock_format& how_of(const inspect_op& operation) { return operation.format; }
const lock_format& how_of(const list_op& operation) { return operation.format; }
const lock_format& how_of(const break_op& operation) { return operation.format; }
const lock_format& how_of(const diagnose_op& /*what*/) {
    static constexpr lock_format native{holdfast::layout::native, {}};
    return native;
}
/// All items of a batch are written in the same way.
const lock_format& how_of(const beat_op& operation) {
    static constexpr lock_format none;
    return operation.items.empty() ? none : operation.items.front().ticket.format;
}

} // namespace

foreign_layout* redis_engine::foreign(const lock_format& format) noexcept {
    switch (format.layout.value_or(where_.layout)) {
    case holdfast::layout::native: break;
    case holdfast::layout::plain: return &plain_;
    case holdfast::layout::redisson: return &redisson_;
    }
    return nullptr;
}

foreign_layout* redis_engine::foreign(const op& operation) noexcept {
    return std::visit([this](const auto& one) { return foreign(how_of(one)); }, operation);
}

capabilities redis_engine::caps_in(primitive kind, const lock_format& format) const {
    const bool fenced = format.fencing.value_or(where_.fencing);
    auto can = native_caps();
    switch (format.layout.value_or(where_.layout)) {
    case holdfast::layout::native: break;
    case holdfast::layout::plain: can = plain_.caps(kind, fenced); break;
    case holdfast::layout::redisson: can = redisson_.caps(kind, fenced); break;
    }
    can.attempt = where_.connect_timeout;
    return can;
}

/// What a caller of the library is told before anything is sent.
bool redis_engine::cannot(op_id id, const op& operation) {
    const auto refuse = [&](const char* lacks) {
        fail(id, errc::unsupported, lacks);
        return true;
    };
    if (const auto* const acquire = std::get_if<acquire_op>(&operation)) {
        if (acquire->kind != primitive::mutex) { return refuse("the layout has only mutexes"); }
        if (acquire->min_hold > base::milliseconds{0}) {
            return refuse("the layout cannot keep min_hold");
        }
        if (!acquire->note.empty()) { return refuse("the layout has no place for a note"); }
        if (acquire->proposed_token != 0) { return refuse("the layout takes no proposed token"); }
    }
    if (std::holds_alternative<list_op>(operation)) {
        return refuse("the layout cannot tell locks from other keys");
    }
    return false;
}

/// Waiters have no place on the server that a beat could keep: they ask anew.
bool redis_engine::answer_beats_here(op_id id, const beat_op& operation) {
    const bool all_wait = std::all_of(operation.items.begin(), operation.items.end(),
                                      [](const auto& one) { return one.waiting; });
    if (!all_wait) { return false; }
    answer out;
    out.id = id;
    out.status = op_status::renewed;
    out.beats.reserve(operation.items.size());
    for (const auto& item : operation.items) {
        auto& one = out.beats.emplace_back();
        one.ticket = item.ticket;
        one.status = op_status::lost;
    }
    sink_->answered(std::move(out));
    return true;
}

void redis_engine::load_scripts(foreign_layout& layout, instant now) {
    for (const auto* const script : layout.scripts()) { load(*script, now); }
}

void redis_engine::need_scripts(foreign_layout& layout, instant now) {
    bool& loaded = &layout == &plain_ ? plain_loaded_ : redisson_loaded_;
    if (!std::exchange(loaded, true)) { load_scripts(layout, now); }
}

/// Before a command of this layout: on the same connection, so that it need not be waited for.
void redis_engine::prepare(foreign_layout& in, const op& operation, instant now) {
    need_scripts(in, now);
    const auto* const acquire = std::get_if<acquire_op>(&operation);
    if (acquire == nullptr || acquire->queue == queueing::no || waits_.empty()) { return; }
    const auto channel = in.channel(acquire->ticket.name);
    if (waits_.anybody(channel)) { listen(in, channel, now); }
}

void redis_engine::listen(const foreign_layout& in, const std::string& channel, instant now) {
    if (waits_.listening(channel)) { return; }
    waits_.subscribed(channel);
    ours(request_kind::subscribe, now, [&](std::string& out, flight& /*made*/) {
        append_command(out, {in.sharded() ? "SSUBSCRIBE" : "SUBSCRIBE", channel});
    });
}

void redis_engine::write_foreign(flight& to, const acquire_op& operation) {
    auto& out = link_.now()->out();
    auto& terms = to.terms;
    terms.lease = operation.lease;
    terms.fenced = operation.ticket.format.fencing.value_or(where_.fencing);
    terms.waits = operation.queue != queueing::no;
    bool contended = false;
    if (terms.waits && !waits_.empty()) {
        const auto channel = to.in->channel(operation.ticket.name);
        contended = waits_.anybody(channel);
        terms.listening = waits_.listening(channel);
    }
    if (!terms.fenced && !contended && to.in->take(out, operation.ticket, operation.lease)) {
        to.kind = request_kind::take;
        return;
    }
    to.in->acquire(out, operation.ticket, operation.lease, terms.fenced,
                   clock_.translate(counts_until(to)));
}

/// The value that is there is asked for once more, by a script that makes the lease whole if it is
/// our own, and tells how long it lasts if it is not.
void redis_engine::ask_by_script(const flight& request, instant now) {
    ours(request_kind::acquire, now, [&](std::string& out, flight& next) {
        next.id = request.id;
        next.give_up = request.give_up;
        next.answered = request.answered;
        next.cancelled = request.cancelled;
        next.not_after = request.not_after;
        next.ticket = request.ticket;
        next.in = request.in;
        next.terms = request.terms;
        request.in->acquire(out, request.ticket, request.terms.lease, request.terms.fenced,
                            clock_.translate(counts_until(next)));
    });
}

void redis_engine::heard_take(flight& request, const reply& reply, instant now) {
    if (reply.is_null()) {
        answer out;
        out.status = op_status::granted;
        heard_granted(request, std::move(out), now);
    } else if (reply.text() != request.in->owner(request.ticket.owner)) {
        heard_busy(request, -1, now);
    } else if (request.cancelled) {
        heard_granted(request, {}, now);
    } else if (!request
                    .answered) { // otherwise it may be withdrawn by now, and is not asked for again
        ask_by_script(request, now); // it was sent before, and the answer was lost
    }
}

void redis_engine::heard_foreign(flight& request, const reply& reply, instant now) {
    std::int64_t pttl = -1;
    answer out = read_foreign_acquire(reply, pttl);
    if (out.status == op_status::granted) {
        heard_granted(request, std::move(out), now);
    } else if (out.status == op_status::busy && late_since(reply) == 0) {
        heard_busy(request, pttl, now);
    } else {
        say(request, std::move(out));
    }
}

void redis_engine::heard_granted(flight& request, answer&& answer, instant now) {
    if (request.cancelled) {
        ours(request_kind::undo, now, [&](std::string& out, flight& /*made*/) {
            request.in->withdraw(out, request.ticket, {});
        });
        return;
    }
    if (request.terms.waits && !waits_.empty()) {
        waits_.served(request.in->channel(request.ticket.name), request.ticket.owner.number, now);
    }
    say(request, std::move(answer));
}

void redis_engine::heard_busy(flight& request, std::int64_t pttl, instant now) {
    answer out;
    out.status = op_status::busy;
    if (!request.terms.waits || request.answered || request.cancelled) {
        return say(request, std::move(out));
    }
    const auto channel = request.in->channel(request.ticket.name);
    const auto ahead = waits_.add(channel, request.in->sharded(), request.ticket.owner.number, now);
    if (!request.terms.listening) {
        listen(*request.in, channel, now);
        request.terms.listening = true;
        ask_by_script(request, now);
        return;
    }
    out.status = op_status::queued;
    out.ahead = static_cast<unsigned>(ahead);
    out.check_in = request.in->look_in(pttl, ahead);
    say(request, std::move(out));
}

/// Pushes that are not for the inbox.
void redis_engine::heard_push(const reply& reply, instant now) {
    const auto what = reply.word(0);
    if (what == "message" || what == "smessage") {
        const auto channel = reply.word(1);
        if (reply.word(2) == "1") { // Redisson: for all of them
            for (const auto number : waits_.all(channel)) {
                sink_->noticed({notice::kind::maybe_free, number, 0});
            }
        } else if (const auto first = waits_.first(channel, now)) {
            sink_->noticed({notice::kind::maybe_free, *first, 0});
        }
        return;
    }
    // That a subscription began or ended comes as a push, but is the answer to a command.
    if (flights_.empty() || flights_.front().kind != request_kind::subscribe) { return; }
    if (on_the_way_ > 0) { --on_the_way_; }
    flights_.drop_first();
}

void redis_engine::stop_listening(instant now) {
    for (const auto& name : waits_.idle(now)) {
        if (!link_.ready()) { continue; }
        ours(request_kind::subscribe, now, [&](std::string& out, flight& /*made*/) {
            append_command(out, {name.sharded ? "SUNSUBSCRIBE" : "UNSUBSCRIBE", name.channel});
        });
    }
}

} // namespace holdfast::engine::redis
