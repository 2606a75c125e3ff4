#include "unit/lock_simulation.hpp"

#include "unit/machine_words.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::machine {

using namespace std::chrono_literals;
using base::instant;
using base::later;
using base::milliseconds;
using base::never;
using engine::op_status;

namespace {

constexpr unsigned clients = 4;
constexpr unsigned rounds = 3;
constexpr milliseconds connect_wait{5000};

wait_event event_of(const engine::answer& answer) {
    switch (answer.status) {
    case op_status::granted: return wait_event::granted;
    case op_status::queued: return wait_event::queued;
    case op_status::busy: return wait_event::busy;
    case op_status::failed: return wait_event::unavailable;
    default: return wait_event::unknown;
    }
}

wait_event event_of(const engine::beat_answer& answer) {
    switch (answer.status) {
    case op_status::granted: return wait_event::beat_granted;
    case op_status::queued: return wait_event::beat_queued;
    case op_status::lost: return wait_event::beat_lost;
    default: return wait_event::beat_unknown;
    }
}

} // namespace

simulation::simulation(std::uint64_t seed, const network_conditions& conditions)
    : random_{seed}, conditions_{conditions}, now_{begin_of_time} {
    // P1's proviso: clock rates differ by less than 1 %.
    server_rate_ = 1.0 + (static_cast<double>(random_.below(1981)) - 990) / 100'000;
    for (unsigned i = 0; i < clients; ++i) {
        at(now_ + between(0, 500), [this, i] { begin_wait(i, rounds); });
    }
}

std::string simulation::run() {
    for (unsigned steps = 0; !agenda_.empty() && failure_.empty(); ++steps) {
        if (steps > 200'000 || now_ > begin_of_time + 2h) { fail("it does not end"); }
        const auto next = agenda_.begin();
        now_ = std::max(now_, next->first);
        const auto action = std::move(next->second);
        agenda_.erase(next);
        action();
        check();
    }
    if (failure_.empty()) { check_end(); }
    return failure_;
}

void simulation::at(instant when, std::function<void()> action) {
    agenda_.emplace(when, std::move(action));
}

/// A stopped client receives everything in order when it continues.
void simulation::deliver(const actor_ptr& to, base::duration after, std::function<void()> action) {
    at(now_ + after, [this, to, action = std::move(action)] {
        if (now_ < to->stopped_until) {
            at(to->stopped_until, action);
        } else {
            action();
        }
    });
}

base::duration simulation::delay() {
    const auto most =
        chance(conditions_.slow) ? base::duration{conditions_.slowest} : base::duration{5ms};
    return base::duration{
        static_cast<base::duration::rep>(random_.below(static_cast<std::uint64_t>(most.count())))};
}

milliseconds simulation::between(unsigned least, unsigned most) {
    return milliseconds{least + random_.below(most - least + 1)};
}

void simulation::begin_wait(unsigned client, unsigned rounds_left) {
    if (rounds_left == 0) { return; }
    const milliseconds leases[] = {200ms, 1000ms, 3000ms, 10'000ms};
    lease_terms terms;
    terms.lease = leases[random_.below(4)];
    terms.renew = !chance(20);
    if (chance(20)) { terms.max_hold = between(200, 8000); }
    if (terms.max_hold > 0ms) { terms.lease = std::min(terms.lease, terms.max_hold); }
    wait_plan plan;
    plan.may_wait = !chance(20);
    plan.give_up = plan.may_wait && chance(50) ? now_ + between(1, 6000) : never;
    plan.once = !plan.may_wait;
    plan.connect_wait = plan.once ? milliseconds{1000} : connect_wait;
    plan.lease = terms.lease;

    const auto member = std::make_shared<actor>(plan);
    member->terms = terms;
    member->hold_for = between(0, 6000);
    member->op.ticket = {"stock", {{{static_cast<std::uint8_t>(client + 1)}}, ++last_number_}};
    member->op.lease = terms.lease;
    member->op.queue = plan.may_wait ? conditions_.queue : engine::queueing::no;
    actors_.push_back(member);
    if (chance(conditions_.cancelled)) {
        deliver(member, between(0, 3000),
                [this, member] { feed_wait(member, {wait_event::cancel}); });
    }
    if (chance(conditions_.stopped)) {
        at(now_ + between(0, 4000),
           [this, member] { member->stopped_until = now_ + between(1, 9000); });
    }
    if (chance(conditions_.stalled)) { stalled_until_ = now_ + between(100, 6000); }
    feed_wait(member, {wait_event::start});
    at(now_ + between(0, 8000),
       [this, client, rounds_left] { begin_wait(client, rounds_left - 1); });
}

void simulation::feed_wait(const actor_ptr& member, const wait_input& input) {
    const auto before = member->waiting.result();
    do_wait(member, member->waiting.on(input, now_));
    const bool told = before != waiter_machine::outcome::none;
    if (told && member->waiting.result() != before) { fail("an outcome has changed"); }
}

void simulation::do_wait(const actor_ptr& member, const waiter_machine::actions& actions) {
    if (member->finished && (actions.ask || actions.beat || actions.finish)) {
        fail("a wait that was over asked for more than a withdrawal");
    }
    if (actions.ask) {
        auto op = member->op;
        op.not_after = actions.not_after;
        call(member, op, actions.not_after,
             [this, member](const engine::answer& answer, instant sent) {
                 feed_wait(member,
                           {event_of(answer), answer.token, sent, answer.ahead, answer.check_in});
             });
    }
    if (actions.beat) {
        call(member, engine::beat_op{{{member->op.ticket, true, {}}}}, now_ + 900ms,
             [this, member](const engine::answer& answer, instant sent) {
                 const auto beat =
                     answer.beats.empty() ? engine::beat_answer{} : answer.beats.front();
                 feed_wait(member, {event_of(beat), beat.token, sent, beat.ahead, beat.check_in});
             });
    }
    if (actions.withdraw) {
        call(member, engine::withdraw_op{member->op.ticket}, now_ + connect_wait,
             [this, member](const engine::answer& answer, instant /*sent*/) {
                 const bool failed =
                     answer.status == op_status::unknown || answer.status == op_status::failed;
                 feed_wait(member, {failed ? wait_event::withdraw_failed : wait_event::withdrawn});
             });
    }
    member->withdraw_failed = member->withdraw_failed || actions.report_withdraw_failed;
    if (!member->holding) { wake(member, actions.wake); }
    if (actions.finish) {
        member->finished = true;
        if (member->waiting.result() == waiter_machine::outcome::granted) { begin_hold(member); }
    }
}

void simulation::begin_hold(const actor_ptr& member) {
    const auto& grant = member->waiting.granted();
    ++grants_;
    hand_offs_ += grant.provisional ? 1 : 0;
    member->holding.emplace(
        member->terms, lease_machine::beginning{grant.sent, grant.granted_for, grant.provisional});
    deliver(member, member->hold_for, [this, member] { // with an answer, or as unlock() does
        feed_hold(member, {lease_event::release, chance(50) ? now_ + connect_wait : never, {}});
    });
    feed_hold(member, {lease_event::tick, {}, {}});
}

void simulation::feed_hold(const actor_ptr& member, const lease_input& input) {
    do_hold(member, member->holding->on(input, now_));
}

void simulation::do_hold(const actor_ptr& member, const lease_machine::actions& actions) {
    auto& machine = *member->holding;
    losses_ += actions.report_lost ? 1 : 0;
    if (actions.renew) {
        call(member, engine::beat_op{{{member->op.ticket, false, actions.renew_for}}},
             actions.renew_by,
             [this, member, lease = actions.renew_for](const engine::answer& answer, instant sent) {
                 const auto beat =
                     answer.beats.empty() ? engine::beat_answer{} : answer.beats.front();
                 auto event = lease_event::renewal_unknown;
                 if (beat.status == op_status::renewed) { event = lease_event::renewed; }
                 if (beat.status == op_status::lost) { event = lease_event::gone; }
                 feed_hold(member, {event, sent, lease});
             });
    }
    if (actions.release) {
        call(member, engine::release_op{member->op.ticket},
             std::min(machine.release_deadline(), now_ + connect_wait),
             [this, member](const engine::answer& answer, instant /*sent*/) {
                 auto event = lease_event::release_unknown;
                 if (answer.status == op_status::released ||
                     answer.status == op_status::handed_off) {
                     event = lease_event::release_done;
                 }
                 if (answer.status == op_status::not_held) { event = lease_event::release_void; }
                 feed_hold(member, {event, {}, {}});
             });
    }
    wake(member, actions.wake);
}

void simulation::wake(const actor_ptr& member, instant when) {
    const auto number = ++member->timer;
    member->due = when;
    if (when == never) { return; }
    deliver(member, std::max(when, now_) - now_, [this, member, number] {
        if (number != member->timer) { return; }
        if (member->holding) {
            feed_hold(member, {lease_event::tick, {}, {}});
        } else {
            feed_wait(member, {wait_event::tick});
        }
        // It may request another wake-up at once, but not repeatedly.
        member->idle_ticks = member->due <= now_ ? member->idle_ticks + 1 : 0;
        if (member->idle_ticks > 1) { fail("a machine wakes up for nothing, again and again"); }
    });
}

} // namespace holdfast::machine
