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
using engine::fate;

namespace {

constexpr unsigned clients = 4;
constexpr unsigned rounds = 3;
constexpr milliseconds connect_wait{5000};

wait_event event_of(const engine::answer& answer) {
    switch (answer.status) {
    case fate::granted: return wait_event::granted;
    case fate::queued: return wait_event::queued;
    case fate::busy: return wait_event::busy;
    case fate::failed: return wait_event::unavailable;
    default: return wait_event::unknown;
    }
}

wait_event event_of(const engine::beat_answer& answer) {
    switch (answer.status) {
    case fate::granted: return wait_event::beat_granted;
    case fate::queued: return wait_event::beat_queued;
    case fate::lost: return wait_event::beat_lost;
    default: return wait_event::beat_unknown;
    }
}

} // namespace

simulation::simulation(std::uint64_t seed, const conditions& conditions)
    : random_{seed}, conditions_{conditions}, now_{begin_of_time} {
    // P1's proviso: clock rates differ by less than 1 %.
    server_rate_ = 1.0 + (static_cast<double>(random_.below(1981)) - 990) / 100'000;
    for (unsigned i = 0; i < clients; ++i) {
        at(now_ + between(0, 500), [this, i] { begin_wait(i, rounds); });
    }
}

std::string simulation::run() {
    for (unsigned steps = 0; !agenda_.empty() && complaint_.empty(); ++steps) {
        if (steps > 200'000 || now_ > begin_of_time + 2h) { complain("it does not end"); }
        const auto next = agenda_.begin();
        now_ = std::max(now_, next->first);
        const auto what = std::move(next->second);
        agenda_.erase(next);
        what();
        check();
    }
    if (complaint_.empty()) { check_end(); }
    return complaint_;
}

void simulation::at(instant when, std::function<void()> what) {
    agenda_.emplace(when, std::move(what));
}

/// A client that is stopped gets everything when it is continued, in order.
void simulation::deliver(const someone& to, base::duration after, std::function<void()> what) {
    at(now_ + after, [this, to, what = std::move(what)] {
        if (now_ < to->stopped_until) {
            at(to->stopped_until, what);
        } else {
            what();
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

    const auto who = std::make_shared<actor>(plan);
    who->terms = terms;
    who->hold_for = between(0, 6000);
    who->op.ticket = {"stock", {{{static_cast<std::uint8_t>(client + 1)}}, ++last_number_}};
    who->op.lease = terms.lease;
    who->op.queue = plan.may_wait ? conditions_.queue : engine::queueing::no;
    actors_.push_back(who);
    if (chance(conditions_.cancelled)) {
        deliver(who, between(0, 3000), [this, who] { feed_wait(who, {wait_event::cancel}); });
    }
    if (chance(conditions_.stopped)) {
        at(now_ + between(0, 4000), [this, who] { who->stopped_until = now_ + between(1, 9000); });
    }
    if (chance(conditions_.stalled)) { stalled_until_ = now_ + between(100, 6000); }
    feed_wait(who, {wait_event::start});
    at(now_ + between(0, 8000),
       [this, client, rounds_left] { begin_wait(client, rounds_left - 1); });
}

void simulation::feed_wait(const someone& someone, const wait_input& input) {
    const auto before = someone->waiting.result();
    do_wait(someone, someone->waiting.on(input, now_));
    const bool told = before != waiter_machine::outcome::none;
    if (told && someone->waiting.result() != before) { complain("an outcome has changed"); }
}

void simulation::do_wait(const someone& someone, const waiter_machine::actions& todo) {
    if (someone->finished && (todo.ask || todo.beat || todo.finish)) {
        complain("a wait that was over asked for more than a withdrawal");
    }
    if (todo.ask) {
        auto op = someone->op;
        op.not_after = todo.not_after;
        call(someone, op, todo.not_after,
             [this, someone](const engine::answer& answer, instant sent) {
                 feed_wait(someone,
                           {event_of(answer), answer.token, sent, answer.ahead, answer.check_in});
             });
    }
    if (todo.beat) {
        call(someone, engine::beat_op{{{someone->op.ticket, true, {}}}}, now_ + 900ms,
             [this, someone](const engine::answer& answer, instant sent) {
                 const auto one =
                     answer.beats.empty() ? engine::beat_answer{} : answer.beats.front();
                 feed_wait(someone, {event_of(one), one.token, sent, one.ahead, one.check_in});
             });
    }
    if (todo.withdraw) {
        call(someone, engine::withdraw_op{someone->op.ticket}, now_ + connect_wait,
             [this, someone](const engine::answer& answer, instant /*sent*/) {
                 const bool failed =
                     answer.status == fate::unknown || answer.status == fate::failed;
                 feed_wait(someone, {failed ? wait_event::withdraw_failed : wait_event::withdrawn});
             });
    }
    someone->withdraw_failed = someone->withdraw_failed || todo.tell_withdraw_failed;
    if (!someone->holding) { wake(someone, todo.wake); }
    if (todo.finish) {
        someone->finished = true;
        if (someone->waiting.result() == waiter_machine::outcome::granted) { begin_hold(someone); }
    }
}

void simulation::begin_hold(const someone& someone) {
    const auto& grant = someone->waiting.granted();
    ++grants_;
    hand_offs_ += grant.provisional ? 1 : 0;
    someone->holding.emplace(
        someone->terms, lease_machine::beginning{grant.sent, grant.granted_for, grant.provisional});
    deliver(someone, someone->hold_for, [this, someone] { // with an answer, or as unlock() does
        feed_hold(someone, {lease_event::release, chance(50) ? now_ + connect_wait : never, {}});
    });
    feed_hold(someone, {lease_event::tick, {}, {}});
}

void simulation::feed_hold(const someone& someone, const lease_input& input) {
    do_hold(someone, someone->holding->on(input, now_));
}

void simulation::do_hold(const someone& someone, const lease_machine::actions& todo) {
    auto& machine = *someone->holding;
    losses_ += todo.tell_lost ? 1 : 0;
    if (todo.renew) {
        call(someone, engine::beat_op{{{someone->op.ticket, false, todo.renew_for}}}, todo.renew_by,
             [this, someone, lease = todo.renew_for](const engine::answer& answer, instant sent) {
                 const auto one =
                     answer.beats.empty() ? engine::beat_answer{} : answer.beats.front();
                 auto event = lease_event::renewal_unknown;
                 if (one.status == fate::renewed) { event = lease_event::renewed; }
                 if (one.status == fate::lost) { event = lease_event::gone; }
                 feed_hold(someone, {event, sent, lease});
             });
    }
    if (todo.release) {
        call(someone, engine::release_op{someone->op.ticket},
             std::min(machine.release_until(), now_ + connect_wait),
             [this, someone](const engine::answer& answer, instant /*sent*/) {
                 auto event = lease_event::release_unknown;
                 if (answer.status == fate::released || answer.status == fate::handed_off) {
                     event = lease_event::release_done;
                 }
                 if (answer.status == fate::not_held) { event = lease_event::release_void; }
                 feed_hold(someone, {event, {}, {}});
             });
    }
    wake(someone, todo.wake);
}

void simulation::wake(const someone& someone, instant when) {
    const auto mine = ++someone->timer;
    someone->due = when;
    if (when == never) { return; }
    deliver(someone, std::max(when, now_) - now_, [this, someone, mine] {
        if (mine != someone->timer) { return; }
        if (someone->holding) {
            feed_hold(someone, {lease_event::tick, {}, {}});
        } else {
            feed_wait(someone, {wait_event::tick});
        }
        // It may want another at once, but not again and again.
        someone->idle_ticks = someone->due <= now_ ? someone->idle_ticks + 1 : 0;
        if (someone->idle_ticks > 1) {
            complain("a machine wakes up for nothing, again and again");
        }
    });
}

} // namespace holdfast::machine
