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

const writing& how_of(const acquire_op& what) { return what.who.how; }
const writing& how_of(const release_op& what) { return what.who.how; }
const writing& how_of(const withdraw_op& what) { return what.who.how; }
const writing& how_of(const inspect_op& what) { return what.how; }
const writing& how_of(const list_op& what) { return what.how; }
const writing& how_of(const break_op& what) { return what.how; }
const writing& how_of(const diagnose_op& /*what*/) {
    static constexpr writing native{holdfast::layout::native, {}};
    return native;
}
/// All items of a batch are written in the same way.
const writing& how_of(const beat_op& what) {
    static constexpr writing none;
    return what.items.empty() ? none : what.items.front().who.how;
}

} // namespace

foreign_layout* redis_engine::foreign(const writing& how) noexcept {
    switch (how.in.value_or(where_.layout)) {
    case holdfast::layout::native: break;
    case holdfast::layout::plain: return &plain_;
    case holdfast::layout::redisson: return &redisson_;
    }
    return nullptr;
}

foreign_layout* redis_engine::foreign(const op& what) noexcept {
    return std::visit([this](const auto& one) { return foreign(how_of(one)); }, what);
}

capabilities redis_engine::caps_in(primitive kind, const writing& how) const {
    const bool fenced = how.fencing.value_or(where_.fencing);
    auto can = native_caps();
    switch (how.in.value_or(where_.layout)) {
    case holdfast::layout::native: break;
    case holdfast::layout::plain: can = plain_.caps(kind, fenced); break;
    case holdfast::layout::redisson: can = redisson_.caps(kind, fenced); break;
    }
    can.attempt = where_.connect_timeout;
    return can;
}

/// What a caller of the library is told before anything is sent.
bool redis_engine::cannot(op_id id, const op& what) {
    const auto refuse = [&](const char* lacks) {
        fail(id, errc::unsupported, lacks);
        return true;
    };
    if (const auto* const acquire = std::get_if<acquire_op>(&what)) {
        if (acquire->kind != primitive::mutex) { return refuse("the layout has only mutexes"); }
        if (acquire->min_hold > base::milliseconds{0}) {
            return refuse("the layout cannot keep min_hold");
        }
        if (!acquire->note.empty()) { return refuse("the layout has no place for a note"); }
        if (acquire->proposed_token != 0) { return refuse("the layout takes no proposed token"); }
    }
    if (std::holds_alternative<list_op>(what)) {
        return refuse("the layout cannot tell locks from other keys");
    }
    return false;
}

/// Waiters have no place on the server that a beat could keep: they ask anew.
bool redis_engine::answer_beats_here(op_id id, const beat_op& what) {
    const bool all_wait = std::all_of(what.items.begin(), what.items.end(),
                                      [](const auto& one) { return one.waiting; });
    if (!all_wait) { return false; }
    answer out;
    out.id = id;
    out.what = fate::renewed;
    out.beats.reserve(what.items.size());
    for (const auto& item : what.items) {
        auto& one = out.beats.emplace_back();
        one.who = item.who;
        one.what = fate::lost;
    }
    sink_->answered(std::move(out));
    return true;
}

void redis_engine::load_scripts(foreign_layout& of, instant now) {
    for (const auto* const one : of.scripts()) { load(*one, now); }
}

void redis_engine::need_scripts(foreign_layout& layout, instant now) {
    bool& loaded = &layout == &plain_ ? plain_loaded_ : redisson_loaded_;
    if (!std::exchange(loaded, true)) { load_scripts(layout, now); }
}

/// Before a command of this layout: on the same connection, so that it need not be waited for.
void redis_engine::prepare(foreign_layout& in, const op& what, instant now) {
    need_scripts(in, now);
    const auto* const acquire = std::get_if<acquire_op>(&what);
    if (acquire == nullptr || acquire->queue == queueing::no || waits_.empty()) { return; }
    const auto channel = in.channel(acquire->who.name);
    if (waits_.anybody(channel)) { listen(in, channel, now); }
}

void redis_engine::listen(const foreign_layout& in, const std::string& channel, instant now) {
    if (waits_.listening(channel)) { return; }
    waits_.subscribed(channel);
    ours(asked::subscribe, now, [&](std::string& out, flight& /*made*/) {
        append_command(out, {in.sharded() ? "SSUBSCRIBE" : "SUBSCRIBE", channel});
    });
}

void redis_engine::write_foreign(flight& to, const acquire_op& what) {
    auto& out = link_.now()->out();
    auto& terms = to.terms;
    terms.lease = what.lease;
    terms.fenced = what.who.how.fencing.value_or(where_.fencing);
    terms.waits = what.queue != queueing::no;
    bool contended = false;
    if (terms.waits && !waits_.empty()) {
        const auto channel = to.in->channel(what.who.name);
        contended = waits_.anybody(channel);
        terms.listening = waits_.listening(channel);
    }
    if (!terms.fenced && !contended && to.in->take(out, what.who, what.lease)) {
        to.what = asked::take;
        return;
    }
    to.in->acquire(out, what.who, what.lease, terms.fenced, clock_.translate(counts_until(to)));
}

/// The value that is there is asked for once more, by a script that makes the lease whole if it is
/// our own, and tells how long it lasts if it is not.
void redis_engine::ask_by_script(const flight& of, instant now) {
    ours(asked::acquire, now, [&](std::string& out, flight& next) {
        next.id = of.id;
        next.give_up = of.give_up;
        next.answered = of.answered;
        next.cancelled = of.cancelled;
        next.not_after = of.not_after;
        next.who = of.who;
        next.in = of.in;
        next.terms = of.terms;
        of.in->acquire(out, of.who, of.terms.lease, of.terms.fenced,
                       clock_.translate(counts_until(next)));
    });
}

void redis_engine::heard_take(flight& of, const reply& said, instant now) {
    if (said.is_null()) {
        answer out;
        out.what = fate::granted;
        heard_granted(of, std::move(out), now);
    } else if (said.text() != of.in->owner(of.who.owner)) {
        heard_busy(of, -1, now);
    } else if (of.cancelled) {
        heard_granted(of, {}, now);
    } else if (!of.answered) {  // otherwise it may be withdrawn by now, and is not asked for again
        ask_by_script(of, now); // it was sent before, and the answer was lost
    }
}

void redis_engine::heard_foreign(flight& of, const reply& said, instant now) {
    std::int64_t pttl = -1;
    answer out = read_foreign_acquire(said, pttl);
    if (out.what == fate::granted) {
        heard_granted(of, std::move(out), now);
    } else if (out.what == fate::busy && late_since(said) == 0) {
        heard_busy(of, pttl, now);
    } else {
        say(of, std::move(out));
    }
}

void redis_engine::heard_granted(flight& of, answer&& what, instant now) {
    if (of.cancelled) {
        ours(asked::undo, now,
             [&](std::string& out, flight& /*made*/) { of.in->withdraw(out, of.who, {}); });
        return;
    }
    if (of.terms.waits && !waits_.empty()) {
        waits_.served(of.in->channel(of.who.name), of.who.owner.number, now);
    }
    say(of, std::move(what));
}

void redis_engine::heard_busy(flight& of, std::int64_t pttl, instant now) {
    answer out;
    out.what = fate::busy;
    if (!of.terms.waits || of.answered || of.cancelled) { return say(of, std::move(out)); }
    const auto channel = of.in->channel(of.who.name);
    const auto ahead = waits_.add(channel, of.in->sharded(), of.who.owner.number, now);
    if (!of.terms.listening) {
        listen(*of.in, channel, now);
        of.terms.listening = true;
        ask_by_script(of, now);
        return;
    }
    out.what = fate::queued;
    out.ahead = static_cast<unsigned>(ahead);
    out.check_in = of.in->look_in(pttl, ahead);
    say(of, std::move(out));
}

/// Pushes that are not for the inbox.
void redis_engine::heard_push(const reply& said, instant now) {
    const auto what = said.word(0);
    if (what == "message" || what == "smessage") {
        const auto channel = said.word(1);
        if (said.word(2) == "1") { // Redisson: for all of them
            for (const auto number : waits_.all(channel)) {
                sink_->noticed({notice::kind::maybe_free, number, 0});
            }
        } else if (const auto first = waits_.first(channel, now)) {
            sink_->noticed({notice::kind::maybe_free, *first, 0});
        }
        return;
    }
    // That a subscription began or ended comes as a push, but is the answer to a command.
    if (flights_.empty() || flights_.front().what != asked::subscribe) { return; }
    if (on_the_way_ > 0) { --on_the_way_; }
    flights_.drop_first();
}

void redis_engine::stop_listening(instant now) {
    for (const auto& one : waits_.idle(now)) {
        if (!link_.ready()) { continue; }
        ours(asked::subscribe, now, [&](std::string& out, flight& /*made*/) {
            append_command(out, {one.sharded ? "SUNSUBSCRIBE" : "UNSUBSCRIBE", one.channel});
        });
    }
}

} // namespace holdfast::engine::redis
