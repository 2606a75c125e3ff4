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

wait_event event_of(const engine::answer& said) {
    switch (said.what) {
    case fate::granted: return wait_event::granted;
    case fate::queued: return wait_event::queued;
    case fate::busy: return wait_event::busy;
    case fate::failed: return wait_event::unavailable;
    default: return wait_event::unknown;
    }
}

wait_event event_of(const engine::beat_answer& said) {
    switch (said.what) {
    case fate::granted: return wait_event::beat_granted;
    case fate::queued: return wait_event::beat_queued;
    case fate::lost: return wait_event::beat_lost;
    default: return wait_event::beat_unknown;
    }
}

} // namespace

simulation::simulation(std::uint64_t seed, const conditions& how)
    : random_{seed}, how_{how}, now_{begin_of_time} {
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
    const auto most = chance(how_.slow) ? base::duration{how_.slowest} : base::duration{5ms};
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
    who->op.who = {"stock", {{{static_cast<std::uint8_t>(client + 1)}}, ++last_number_}};
    who->op.lease = terms.lease;
    who->op.queue = plan.may_wait ? how_.queue : engine::queueing::no;
    actors_.push_back(who);
    if (chance(how_.cancelled)) {
        deliver(who, between(0, 3000), [this, who] { feed_wait(who, {wait_event::cancel}); });
    }
    if (chance(how_.stopped)) {
        at(now_ + between(0, 4000), [this, who] { who->stopped_until = now_ + between(1, 9000); });
    }
    if (chance(how_.stalled)) { stalled_until_ = now_ + between(100, 6000); }
    feed_wait(who, {wait_event::start});
    at(now_ + between(0, 8000),
       [this, client, rounds_left] { begin_wait(client, rounds_left - 1); });
}

void simulation::feed_wait(const someone& who, const wait_input& input) {
    const auto before = who->waiting.result();
    do_wait(who, who->waiting.on(input, now_));
    const bool told = before != waiter_machine::outcome::none;
    if (told && who->waiting.result() != before) { complain("an outcome has changed"); }
}

void simulation::do_wait(const someone& who, const waiter_machine::actions& todo) {
    if (who->finished && (todo.ask || todo.beat || todo.finish)) {
        complain("a wait that was over asked for more than a withdrawal");
    }
    if (todo.ask) {
        auto op = who->op;
        op.not_after = todo.not_after;
        call(who, op, todo.not_after, [this, who](const engine::answer& said, instant sent) {
            feed_wait(who, {event_of(said), said.token, sent, said.ahead, said.check_in});
        });
    }
    if (todo.beat) {
        call(who, engine::beat_op{{{who->op.who, true, {}}}}, now_ + 900ms,
             [this, who](const engine::answer& said, instant sent) {
                 const auto one = said.beats.empty() ? engine::beat_answer{} : said.beats.front();
                 feed_wait(who, {event_of(one), one.token, sent, one.ahead, one.check_in});
             });
    }
    if (todo.withdraw) {
        call(who, engine::withdraw_op{who->op.who}, now_ + connect_wait,
             [this, who](const engine::answer& said, instant /*sent*/) {
                 const bool failed = said.what == fate::unknown || said.what == fate::failed;
                 feed_wait(who, {failed ? wait_event::withdraw_failed : wait_event::withdrawn});
             });
    }
    who->withdraw_failed = who->withdraw_failed || todo.tell_withdraw_failed;
    if (!who->holding) { wake(who, todo.wake); }
    if (todo.finish) {
        who->finished = true;
        if (who->waiting.result() == waiter_machine::outcome::granted) { begin_hold(who); }
    }
}

void simulation::begin_hold(const someone& who) {
    const auto& grant = who->waiting.granted();
    ++grants_;
    hand_offs_ += grant.provisional ? 1 : 0;
    who->holding.emplace(
        who->terms, lease_machine::beginning{grant.sent, grant.granted_for, grant.provisional});
    deliver(who, who->hold_for, [this, who] { // with an answer, or as unlock() does
        feed_hold(who, {lease_event::release, chance(50) ? now_ + connect_wait : never, {}});
    });
    feed_hold(who, {lease_event::tick, {}, {}});
}

void simulation::feed_hold(const someone& who, const lease_input& input) {
    do_hold(who, who->holding->on(input, now_));
}

void simulation::do_hold(const someone& who, const lease_machine::actions& todo) {
    auto& machine = *who->holding;
    losses_ += todo.tell_lost ? 1 : 0;
    if (todo.renew) {
        call(who, engine::beat_op{{{who->op.who, false, todo.renew_for}}}, todo.renew_by,
             [this, who, lease = todo.renew_for](const engine::answer& said, instant sent) {
                 const auto one = said.beats.empty() ? engine::beat_answer{} : said.beats.front();
                 auto what = lease_event::renewal_unknown;
                 if (one.what == fate::renewed) { what = lease_event::renewed; }
                 if (one.what == fate::lost) { what = lease_event::gone; }
                 feed_hold(who, {what, sent, lease});
             });
    }
    if (todo.release) {
        call(who, engine::release_op{who->op.who},
             std::min(machine.release_until(), now_ + connect_wait),
             [this, who](const engine::answer& said, instant /*sent*/) {
                 auto what = lease_event::release_unknown;
                 if (said.what == fate::released || said.what == fate::handed_off) {
                     what = lease_event::release_done;
                 }
                 if (said.what == fate::not_held) { what = lease_event::release_void; }
                 feed_hold(who, {what, {}, {}});
             });
    }
    wake(who, todo.wake);
}

void simulation::wake(const someone& who, instant when) {
    const auto mine = ++who->timer;
    who->due = when;
    if (when == never) { return; }
    deliver(who, std::max(when, now_) - now_, [this, who, mine] {
        if (mine != who->timer) { return; }
        if (who->holding) {
            feed_hold(who, {lease_event::tick, {}, {}});
        } else {
            feed_wait(who, {wait_event::tick});
        }
        // It may want another at once, but not again and again.
        who->idle_ticks = who->due <= now_ ? who->idle_ticks + 1 : 0;
        if (who->idle_ticks > 1) { complain("a machine wakes up for nothing, again and again"); }
    });
}

} // namespace holdfast::machine
