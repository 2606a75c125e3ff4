#include "holdfast/engine/quorum/acquire_task.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <utility>

namespace holdfast::engine::quorum {

using base::instant;

namespace {

/// A request that is sent again after it was granted has the same token.
std::uint64_t first_proposal(task_host& host, const base::owner_id& owner) {
    const auto* const held = host.book.find(owner);
    return held != nullptr ? held->token : host.next_proposal();
}

std::string unknown_vote(const answer& answer) {
    return answer.detail.empty() ? "" : "failed: " + without_server(answer.detail);
}

answer busy() {
    answer out;
    out.status = op_status::busy;
    return out;
}

} // namespace

acquire_task::acquire_task(task_host& host, op_id id, const acquire_op& op, instant give_up)
    : task{id, give_up},
      host_{host},
      request_{op},
      queue_{op.queue},
      not_after_{op.not_after},
      proposes_{host.proposes(op.ticket.format) && op.mode == mode::exclusive},
      ballot_{host.nodes.size(), proposes_ ? first_proposal(host, op.ticket.owner) : 0},
      timeout_{op.voting.node_timeout.count() > 0 ? op.voting.node_timeout
                                                  : host.settings.timeout_for(op.lease)} {
    // No queues on nodes: two waiters could each be the first on half of them, for ever.
    auto& sent = std::get<acquire_op>(request_);
    sent.queue = queue_ == queueing::no ? queueing::no : queueing::listen;
}

void acquire_task::start(instant now) {
    if (now > not_after_) { return host_.complete(*this, busy()); }
    for (unsigned node = 0; node < ballot_.nodes(); ++node) { consider(node, now); }
    if (!joining_.empty()) { host_.join(now); }
    judge(now);
}

void acquire_task::consider(unsigned node, instant now) {
    if (host_.barred.has(request().ticket.owner.number, node, now)) {
        details_[node] = "an earlier withdrawal may still reach it";
        return ballot_.on_skipped(node);
    }
    switch (host_.nodes.check(node, now)) {
    case membership::readiness::votes: return send(node, now);
    case membership::readiness::joining: return joining_.add(node);
    case membership::readiness::down: break;
    }
    details_[node] = host_.nodes.trouble(node, now);
    ballot_.on_skipped(node);
}

void acquire_task::send(unsigned node, instant now) {
    auto& sent = std::get<acquire_op>(request_);
    const auto until = base::later(now, timeout_);
    sent.proposed_token = ballot_.proposal();
    sent.node_id = host_.nodes.id_to_check(node);
    // A request that arrives after the ballot has ended must not leave a vote behind.
    sent.not_after = std::min(not_after_, until);
    last_sent_ = now;
    ballot_.on_sent(node);
    if (host_.owed.drop(node, sent.ticket.owner)) { ballot_.on_earlier_vote(node); }
    host_.ask(*this, node, ballot_.round(), request_, std::min(give_up(), until), now);
}

void acquire_task::on_node_changed(unsigned node, instant now) {
    if (!joining_.has(node) || host_.nodes.is_joining(node)) { return; }
    joining_.remove(node);
    if (!is_open()) { return add_vote(node, now); }
    if (!host_.nodes.defect().empty()) { return reject_defect(now); }
    consider(node, now);
    if (joining_.has(node)) { // it could not join: not again for this request
        joining_.remove(node);
        details_[node] = host_.nodes.trouble(node, now);
        ballot_.on_skipped(node);
    }
    judge(now);
}

/// A node that joins after the majority has voted is to have a vote, too, for the day when another
/// node dies. A renewal gives it one, if the lock is still held by then. In a layout that others
/// share, where a hold may well not be renewed, it is asked as the others were.
void acquire_task::add_vote(unsigned node, instant now) {
    const auto number = request().ticket.owner.number;
    auto* const held = host_.book.find(request().ticket.owner);
    const bool mine = held != nullptr && held->token == token();
    if (!mine || host_.nodes.check(node, now) != membership::readiness::votes) { return; }
    if (host_.proposes(request().ticket.format)) { return host_.renew_soon(number); }
    held->nodes.add(node);
    send(node, now);
}

void acquire_task::on_answer(unsigned node, unsigned tag, answer& answer, instant now) {
    if (tag == withdrawal_tag) { return on_withdrawn(node, answer, now); }
    on_vote(node, tag, answer, now);
    if (is_open()) { judge(now); }
}

void acquire_task::on_vote(unsigned node, unsigned round, answer& answer, instant now) {
    switch (answer.status) {
    case op_status::granted:
        ballot_.on_yes(node, round, answer.token);
        if (auto* const held = is_open() ? nullptr : host_.book.find(request().ticket.owner)) {
            held->nodes.add(node); // after the majority
            held->confirmed.add(node);
        }
        return;
    case op_status::busy:
        if (answer.token > 0) { return ballot_.on_low(node, round, answer.token); }
        // A listener is told to wait; this means that the ticket is too late, or has ended.
        if (queue_ != queueing::no) {
            ++late_refusals_;
            ticket_ended_ = ticket_ended_ || answer.ticket_ended;
        }
        return ballot_.on_refused(node, round, vote::no);
    case op_status::queued: return ballot_.on_refused(node, round, vote::no);
    case op_status::not_joined:
        ballot_.on_refused(node, round, vote::down);
        details_[node] = "has lost its data, or was restarted";
        host_.nodes.on_left(node);
        host_.join(now);
        return;
    case op_status::failed:
        if (answer.error == errc::wrong_primitive) { // it is held, though not as a lock like this
            other_kind_ = without_server(answer.detail);
            ++other_kinds_;
            return ballot_.on_refused(node, round, vote::no);
        }
        ballot_.on_refused(node, round, vote::down);
        details_[node] = "failed: " + without_server(answer.detail);
        return;
    default: ballot_.on_unknown(node, round); details_[node] = unknown_vote(answer);
    }
}

void acquire_task::judge(instant now) {
    while (is_open()) {
        const auto verdict = ballot_.verdict();
        switch (verdict) {
        case verdict::undecided: return;
        case verdict::granted: return grant(now);
        case verdict::propose:
            ballot_.begin_round(host_.next_proposal());
            for (unsigned node = 0; node < ballot_.nodes(); ++node) {
                if (ballot_.of(node) == vote::open && !joining_.has(node)) { send(node, now); }
            }
            return;
        case verdict::busy:
        case verdict::no_quorum: return refuse(verdict, now);
        }
    }
}

/// When the votes that it may have got have expired.
instant acquire_task::votes_until(instant now) const noexcept {
    return base::later(std::max(now, base::later(last_sent_, timeout_)),
                       longest_life(request().lease));
}

void acquire_task::grant(instant now) {
    vote_record record;
    if (const auto* const before = host_.book.find(request().ticket.owner)) {
        record.nodes = before->nodes;
    }
    for (unsigned node = 0; node < ballot_.nodes(); ++node) {
        // The votes belong to the hold now: nothing of them may be taken back.
        if (host_.owed.drop(node, request().ticket.owner)) { record.nodes.add(node); }
        if (ballot_.may_hold(node)) { record.nodes.add(node); }
        if (ballot_.of(node) == vote::yes) { record.confirmed.add(node); }
    }
    record.token = token();
    record.until = votes_until(now);
    record.terms = std::make_shared<const acquire_op>(request());
    host_.book.put(request().ticket.owner.number, std::move(record), now);
    host_.waiters.remove(request().ticket.owner.number, true);
    answer out;
    out.status = op_status::granted;
    out.token = token();
    host_.complete(*this, std::move(out));
}

void acquire_task::refuse(verdict verdict, instant now) {
    joining_.clear();
    withdraw_all(!ticket_ended_, now);
    host_.waiters.remove(request().ticket.owner.number, false);
    const auto others = ballot_.nodes() - majority_of(ballot_.nodes()); // too few to refuse it
    answer out;
    if (ticket_ended_) { // that node would refuse it for a minute, and others may be down
        give_back_earlier_votes(now);
        out = busy();
        out.ticket_ended = true;
    } else if (verdict == verdict::no_quorum) {
        out.status = op_status::failed;
        out.error = make_error_code(errc::no_quorum);
        out.detail = describe_votes(now);
    } else if (other_kinds_ > others) {
        out.status = op_status::failed;
        out.error = make_error_code(errc::wrong_primitive);
        out.detail = other_kind_;
    } else if (queue_ == queueing::no || late_refusals_ > others) {
        out = busy();
    } else {
        out.status = op_status::queued;
        out.no_place = true;
        const auto& voting = request().voting;
        const auto least =
            voting.retry_min.count() > 0 ? voting.retry_min : host_.settings.retry_min;
        const auto most =
            voting.retry_max.count() > 0 ? voting.retry_max : host_.settings.retry_max;
        const base::duration range = std::max(most - least, base::milliseconds{0});
        out.check_in = least + base::duration{static_cast<base::duration::rep>(host_.jitter.below(
                                   static_cast<std::uint64_t>(range.count()) + 1))};
        const bool split = ballot_.count(vote::no) < majority_of(ballot_.nodes());
        host_.waiters.add(request().ticket.name, request().ticket.owner.number, split);
    }
    host_.complete(*this, std::move(out));
}

/// Those of a grant that came too late to be used, on nodes that this ballot has not asked: no
/// release of the ticket will follow.
void acquire_task::give_back_earlier_votes(instant now) {
    const auto before = host_.book.take(request().ticket.owner);
    if (!before) { return; }
    for (unsigned node = 0; node < ballot_.nodes(); ++node) {
        if (!before->nodes.has(node) || ballot_.may_hold(node)) { continue; }
        host_.owe(node, withdrawal_, before->until, now);
    }
}

/// Two of its nodes have turned out to be the same server, or the like.
void acquire_task::reject_defect(instant now) {
    joining_.clear();
    withdraw_all(false, now);
    answer out;
    out.status = op_status::failed;
    out.error = make_error_code(errc::invalid_option);
    out.detail = host_.nodes.defect();
    host_.complete(*this, std::move(out));
}

/// A node gets the withdrawal behind the acquire, on the same connection. If that breaks, the
/// withdrawal becomes a debt.
void acquire_task::withdraw_all(bool asks_again, instant now) {
    withdrawal_ = {request().ticket, asks_again};
    for (unsigned node = 0; node < ballot_.nodes(); ++node) {
        if (!ballot_.may_hold(node)) { continue; }
        host_.ask(*this, node, withdrawal_tag, withdrawal_, base::later(now, timeout_), now);
    }
}

void acquire_task::on_withdrawn(unsigned node, const answer& answer, instant now) {
    if (is_definite(answer)) { return; }
    host_.owe(node, withdrawal_, votes_until(now), now);
    if (withdrawal_.asks_again && !host_.proposes(withdrawal_.ticket.format)) {
        host_.barred.add(withdrawal_.ticket.owner.number, node, now);
    }
}

void acquire_task::on_give_up(instant now) {
    // The nodes' own answers are due before; only those that have not joined are missing.
    for (unsigned node = 0; node < ballot_.nodes(); ++node) {
        if (!joining_.has(node)) { continue; }
        joining_.remove(node);
        details_[node] = host_.nodes.trouble(node, now);
        ballot_.on_skipped(node);
    }
    judge(now);
}

void acquire_task::on_cancel(instant now) {
    joining_.clear();
    withdraw_all(false, now);
    host_.waiters.remove(request().ticket.owner.number, false);
    host_.complete(*this, busy());
}

} // namespace holdfast::engine::quorum
