// The network and the server of the simulation, and the checks of their state.

#include "unit/lock_simulation.hpp"
#include "unit/machine_words.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::machine {

using namespace std::chrono_literals;
using base::instant;
using engine::op_status;
using state = wait_state;

/// As the seam promises: one answer, by `give_up` at the latest; then it is `unknown`.
void simulation::call(const actor_ptr& member, const engine::op& operation, instant give_up,
                      reply on_answer) {
    const auto sent = now_;
    const auto answered = std::make_shared<bool>(false);
    const auto tell = [answered, on_answer = std::move(on_answer),
                       sent](const engine::answer& answer) {
        if (!std::exchange(*answered, true)) { on_answer(answer, sent); }
    };
    if (chance(conditions_.refused)) {
        engine::answer none;
        none.status = op_status::failed;
        deliver(member, 0ms, [tell, none] { tell(none); });
        return;
    }
    deliver(member, std::max(give_up, now_) - now_, [tell] { tell({}); });
    if (chance(conditions_.lost)) { return; }
    const auto arrives = std::max(now_ + delay(), stalled_until_);
    at(arrives, [this, member, operation, tell] {
        const auto answer = serve(operation);
        if (chance(conditions_.lost)) { return; }
        deliver(member, delay(), [tell, answer] { tell(answer); });
    });
}

instant simulation::server_time(instant when) const {
    if (when == base::never) { return when; }
    const auto passed = std::chrono::duration<double, std::nano>(when - begin_of_time);
    return begin_of_time + std::chrono::round<base::duration>(passed * server_rate_);
}

engine::answer simulation::serve(const engine::op& operation) {
    using namespace engine;
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(now_ - instant{});
    const admission::moment moment{server_time(now_), us.count(), nullptr};
    std::vector<admission::push> pushes;
    admission::admission_rule rule{record_, queue_, moment, pushes};
    answer answer;
    if (const auto* ask = std::get_if<acquire_op>(&operation)) {
        auto here = *ask;
        here.not_after = server_time(ask->not_after);
        answer = rule.acquire(here, {});
    } else if (const auto* beat = std::get_if<beat_op>(&operation)) {
        answer.beats.push_back(rule.beat(beat->items.front(), {}));
    } else if (const auto* release = std::get_if<release_op>(&operation)) {
        answer.status = rule.release(*release);
    } else if (const auto* withdraw = std::get_if<withdraw_op>(&operation)) {
        answer.status = rule.withdraw(*withdraw);
    }
    push_notices(pushes);
    return answer;
}

/// Notices arrive late, twice or never.
void simulation::push_notices(const std::vector<engine::admission::push>& all) {
    for (const auto& one : all) {
        const auto found =
            std::find_if(actors_.begin(), actors_.end(), [&](const actor_ptr& member) {
                return member->op.ticket.owner.number == one.notice.number;
            });
        const auto actor = *found;
        const wait_input input{one.notice.type == engine::notice::kind::granted
                                   ? wait_event::push_granted
                                   : wait_event::push_maybe_free,
                               one.notice.token};
        for (auto times = chance(conditions_.slow) ? 2 : 1; times > 0; --times) {
            if (chance(conditions_.lost)) { continue; }
            deliver(actor, delay(), [this, actor, input] {
                if (!actor->holding) { feed_wait(actor, input); }
            });
        }
    }
}

/// P1: at most one client has a valid lease, and the server has its hold.
void simulation::check() {
    const actor* holder = nullptr;
    for (const auto& actor : actors_) {
        if (!actor->holding || !actor->holding->valid(now_)) { continue; }
        const auto& owner = actor->op.ticket.owner;
        if (holder != nullptr) {
            fail("two are valid: number " + std::to_string(owner.number) + " and " +
                 std::to_string(holder->op.ticket.owner.number));
        }
        holder = actor.get();
        const auto& holds = record_.holds;
        if (std::none_of(holds.begin(), holds.end(), [&](const auto& one) {
                return one.owner == owner && !one.resting(server_time(now_));
            })) {
            fail("number " + std::to_string(owner.number) + " is valid, but not on the server");
        }
    }
}

/// P8: nothing is left on the server, except what a lost message explains.
void simulation::check_end() {
    for (const auto& actor : actors_) {
        const auto number = "number " + std::to_string(actor->op.ticket.owner.number);
        if (!actor->finished) { fail(number + " still waits"); }
        if (actor->waiting.state() != state::done) { fail(number + " still withdraws"); }
        if (!actor->holding) { continue; }
        const auto state_of_hold = actor->holding->state();
        if (state_of_hold != lease_state::lost && state_of_hold != lease_state::ended) {
            fail(number + " is still " + word(state_of_hold));
        }
    }
    const auto actor_of = [this](const base::owner_id& owner) {
        return *std::find_if(actors_.begin(), actors_.end(), [&](const actor_ptr& member) {
            return member->op.ticket.owner == owner;
        });
    };
    if (record_.waiting > 0) {
        queue_.visit([&](const engine::admission::waiter& one) {
            if (!actor_of(one.owner)->withdraw_failed) { fail("somebody was left in the queue"); }
        });
    }
    for (const auto& one : record_.holds) {
        const auto actor = actor_of(one.owner);
        const bool explained =
            actor->withdraw_failed || (actor->holding && actor->holding->loss_reason()) ||
            (actor->holding && actor->holding->ending() == lease_ending::unknown);
        if (!explained) { fail("a hold was left that nobody wants"); }
    }
}

void simulation::fail(const std::string& action) {
    if (!failure_.empty()) { return; }
    const auto ms = std::chrono::duration<double, std::milli>(now_ - begin_of_time).count();
    failure_ = "at " + std::to_string(ms) + " ms: " + action;
}

} // namespace holdfast::machine
