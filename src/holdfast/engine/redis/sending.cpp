// The part of the engine that sends.

#include "holdfast/engine/admission/request.hpp"
#include "holdfast/engine/redis/command.hpp"
#include "holdfast/engine/redis/fields.hpp"
#include "holdfast/engine/redis/redis_engine.hpp"
#include "holdfast/engine/redis/scripts.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <cassert>
#include <utility>
#include <variant>

namespace holdfast::engine::redis {

using base::instant;

namespace {

/// Operations that may wait for an answer at once, and bytes of commands that may wait to be sent.
constexpr std::size_t most_flights = 100'000;
constexpr std::size_t most_unsent = std::size_t{64} << 20U;

} // namespace

void redis_engine::submit(op_id id, const op& operation, instant give_up) {
    assert(sink_ != nullptr);
    if (const auto* const acquire = std::get_if<acquire_op>(&operation)) {
        if (auto wrong = admission::wrong_request(*acquire)) {
            wrong->id = id;
            sink_->answered(std::move(*wrong));
            return;
        }
    }
    const bool elsewhere = foreign(operation) != nullptr;
    if (elsewhere && cannot(id, operation)) { return; }
    const bool too_many_beats = std::holds_alternative<beat_op>(operation) &&
                                std::get<beat_op>(operation).items.size() > most_beats;
    const bool full = flights_.size() + waiting_.size() >= most_flights ||
                      (link_.ready() && link_.now()->out().size() >= most_unsent);
    if (too_many_beats || full) {
        fail(id, errc::limit_reached,
             too_many_beats ? "beat: at most " + std::to_string(most_beats) + " items at once"
                            : server() + ": too many requests wait for an answer");
        return;
    }
    if (elsewhere && std::holds_alternative<beat_op>(operation) &&
        answer_beats_here(id, std::get<beat_op>(operation))) {
        return;
    }
    earliest_ = std::min(earliest_, give_up);
    if (link_.ready() && waiting_.empty()) {
        send(id, operation, give_up, clock());
        return;
    }
    waiting_.push_back({id, operation, give_up});
    const auto* const acquire = std::get_if<acquire_op>(&operation);
    const bool at_once = acquire != nullptr && acquire->once;
    if (!read_by_others_) {
        link_.open(time_.now(), at_once ? link::when::at_once : link::when::due);
    }
}

void redis_engine::send_waiting(instant now) {
    while (!waiting_.empty() && link_.ready()) {
        const waiting next = std::move(waiting_.front());
        waiting_.pop_front();
        send(next.id, next.operation, next.give_up, now);
    }
}

flight& redis_engine::take_off(request_kind kind, instant now) {
    flight& made = flights_.add();
    made.kind = kind;
    made.sent = now;
    return made;
}

void redis_engine::send(op_id id, const op& operation, instant give_up, instant now) {
    if (std::holds_alternative<acquire_op>(operation) && clock_.stale(now)) {
        clock_.learn_soon(now);
        ours(request_kind::time, now,
             [](std::string& out, flight& /*made*/) { append_command(out, {"TIME"}); });
    }
    auto* const in = foreign(operation);
    if (in != nullptr) { prepare(*in, operation, now); }
    flight& made = take_off(request_kind::acquire, now);
    made.in = in;
    made.id = id;
    made.give_up = give_up;
    const auto before = link_.now()->out().size();
    std::visit([&](const auto& one) { write(made, one); }, operation);
    written_ += link_.now()->out().size() - before;
    made.end = written_;
    if (flights_.size() > 1 && flights_[flights_.size() - 2].exchanged) {
        flights_[flights_.size() - 2].end = written_; // they are one command
    }
    if (exchange_ == exchanging::wanted) {
        exchange_ = exchanging::possible; // for whatever is sent after this
        load(scripts::exchange, now);
    }
}

void redis_engine::be_quiet(flight& each) {
    each.quiet = true;
    ++quiet_;
}

/// Whoever goes on to the next lock at once does so well within this time; why not for less, see
/// docs/decisions/0013.
void redis_engine::be_patient(const flight& each) {
    constexpr base::milliseconds longest{1};
    if (patient_++ == 0) { patient_until_ = each.sent + longest; }
}

/// Without an answer by then the connection is given up, and the acquire is sent again on another.
/// If the first one arrives last it must not count: by then its ticket may have been released.
instant redis_engine::counts_until(const flight& request) const noexcept {
    // The server takes a longer one for a sign that its clock was stepped back.
    constexpr base::milliseconds longest{50'000};
    return std::min(request.not_after,
                    base::later(request.sent, std::min(where_.command_timeout, longest)));
}

/// Later than that of all earlier sendings, so that the server can tell them apart. But not if its
/// clock was stepped back since: it would refuse this one, as it refuses those by themselves.
validity redis_engine::validity_of(flight& acquire) const {
    auto late = attempts_.of(acquire.ticket.owner.number);
    if (late > clock_.translate(acquire.sent) + fields::longest_not_after_us) { late = 0; }
    acquire.not_after_us = std::max(clock_.translate(counts_until(acquire)), late + 1);
    return {acquire.not_after_us, late};
}

void redis_engine::write(flight& to, const acquire_op& operation) {
    to.not_after = operation.not_after;
    to.ticket = operation.ticket;
    if (to.in != nullptr) { return write_foreign(to, operation); }
    if (operation.queue == queueing::grant) { be_quiet(to); }
    auto& out = link_.now()->out();
    const auto counts = validity_of(to);
    if (flight* const given_up = release_just_before()) {
        given_up->exchanged = true;
        out.resize(out.size() - (given_up->end - given_up->begin));
        layout_.exchange(out, given_up->ticket, operation, counts);
    } else {
        layout_.acquire(out, operation, counts);
    }
}

/// A release that was written last and is still here: what is asked for now can go with it. Not the
/// first one: the script for it is loaded only where it is of use.
flight* redis_engine::release_just_before() {
    if (flights_.size() < 2 || flights_.size() - 2 < on_the_way_) { return nullptr; }
    flight& last = flights_[flights_.size() - 2];
    if (last.kind != request_kind::release || last.in != nullptr) { return nullptr; }
    if (last.begin < link_.now()->sent()) { return nullptr; }
    if (exchange_ == exchanging::unused) { exchange_ = exchanging::wanted; }
    return exchange_ == exchanging::possible ? &last : nullptr;
}

void redis_engine::write(flight& to, const release_op& operation) {
    to.kind = request_kind::release;
    if (operation.can_wait) { be_patient(to); }
    if (to.in != nullptr) { return write_foreign(to, operation); }
    if (!operation.awaited) { be_quiet(to); }
    to.ticket = operation.ticket;
    to.begin = written_;
    layout_.release(link_.now()->out(), operation.ticket);
}

void redis_engine::write(flight& to, const withdraw_op& operation) {
    to.kind = request_kind::withdraw;
    if (to.in != nullptr) { return write_foreign(to, operation); }
    layout_.withdraw(link_.now()->out(), operation.ticket,
                     attempts_.of(operation.ticket.owner.number));
}

void redis_engine::write(flight& to, const break_op& operation) {
    to.kind = request_kind::withdraw;
    if (to.in != nullptr) { return to.in->break_lock(link_.now()->out(), operation); }
    layout_.break_lock(link_.now()->out(), operation);
}

void redis_engine::write(flight& to, const beat_op& operation) {
    to.kind = request_kind::beat;
    to.items.reserve(operation.items.size());
    for (const auto& item : operation.items) {
        to.items.push_back(item.ticket);
        to.renews = to.renews || !item.waiting;
    }
    if (to.in != nullptr) { return to.in->beat(link_.now()->out(), operation); }
    layout_.beat(link_.now()->out(), operation);
}

void redis_engine::write(flight& to, const inspect_op& operation) {
    to.kind = request_kind::inspect;
    to.ticket.name = operation.name;
    if (to.in != nullptr) { return to.in->inspect(link_.now()->out(), operation.name); }
    layout_.inspect(link_.now()->out(), operation.name);
}

void redis_engine::write(flight& to, const list_op& operation) {
    to.kind = request_kind::scan;
    to.ticket.name = operation.cursor;
    to.count = operation.count;
    layout_.scan(link_.now()->out(), operation);
}

void redis_engine::write(flight& to, const diagnose_op& /*what*/) {
    to.kind = request_kind::diagnose;
    append_command(link_.now()->out(), {"INFO", "memory"});
}

/// They are asked for again by whoever was refused; commands that follow find them.
void redis_engine::load_scripts(instant now) {
    for (const auto* const script : scripts::usual) { load(*script, now); }
    if (exchange_ == exchanging::possible) { load(scripts::exchange, now); }
    if (plain_loaded_) { load_scripts(plain_, now); }
    if (redisson_loaded_) { load_scripts(redisson_, now); }
}

void redis_engine::load(const script& script, instant now) {
    ours(request_kind::load, now, [&](std::string& out, flight& /*made*/) {
        append_command(out, {"SCRIPT", "LOAD", script.text});
    });
}

void redis_engine::cancel(op_id id) {
    if (std::erase_if(waiting_, [id](const waiting& pending) { return pending.id == id; }) > 0) {
        return;
    }
    for (std::size_t at = 0; at < flights_.size(); ++at) {
        if (flights_[at].id == id) { flights_[at].cancelled = true; }
    }
}

} // namespace holdfast::engine::redis
