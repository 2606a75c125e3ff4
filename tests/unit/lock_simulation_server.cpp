// The other side of the simulation: the network, the server, and what must be true of both.

#include "unit/lock_simulation.hpp"
#include "unit/machine_words.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::machine {

using namespace std::chrono_literals;
using base::instant;
using engine::op_status;
using state = wait_state;

/// The seam's promise: one answer, by `give_up` at the latest; then it is unknown.
void simulation::call(const someone& member, const engine::op& operation, instant give_up,
                      reply heard) {
    const auto sent = now_;
    const auto answered = std::make_shared<bool>(false);
    const auto tell = [answered, heard = std::move(heard), sent](const engine::answer& answer) {
        if (!std::exchange(*answered, true)) { heard(answer, sent); }
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
        answer.beats.push_back(rule.beat(beat->items.front()));
    } else if (const auto* release = std::get_if<release_op>(&operation)) {
        answer.status = rule.release(release->ticket.owner);
    } else if (const auto* withdraw = std::get_if<withdraw_op>(&operation)) {
        answer.status = rule.withdraw(withdraw->ticket.owner);
    }
    push_notices(pushes);
    return answer;
}

/// Late, twice or never.
void simulation::push_notices(const std::vector<engine::admission::push>& all) {
    for (const auto& one : all) {
        const auto found = std::find_if(actors_.begin(), actors_.end(), [&](const someone& member) {
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

/// P1: whoever believes that the lock is theirs is the only one, and the server agrees.
void simulation::check() {
    const actor* holder = nullptr;
    for (const auto& actor : actors_) {
        if (!actor->holding || !actor->holding->valid(now_)) { continue; }
        const auto& owner = actor->op.ticket.owner;
        if (holder != nullptr) {
            complain("two are valid: number " + std::to_string(owner.number) + " and " +
                     std::to_string(holder->op.ticket.owner.number));
        }
        holder = actor.get();
        const auto& holds = record_.holds;
        if (std::none_of(holds.begin(), holds.end(), [&](const auto& one) {
                return one.owner == owner && !one.resting(server_time(now_));
            })) {
            complain("number " + std::to_string(owner.number) + " is valid, but not on the server");
        }
    }
}

/// P8: nothing is left behind but what a lost message explains.
void simulation::check_end() {
    for (const auto& actor : actors_) {
        const auto number = "number " + std::to_string(actor->op.ticket.owner.number);
        if (!actor->finished) { complain(number + " still waits"); }
        if (actor->waiting.state() != state::done) { complain(number + " still withdraws"); }
        if (!actor->holding) { continue; }
        const auto how = actor->holding->state();
        if (how != lease_state::lost && how != lease_state::ended) {
            complain(number + " is still " + word(how));
        }
    }
    const auto of = [this](const base::owner_id& owner) {
        return *std::find_if(actors_.begin(), actors_.end(), [&](const someone& member) {
            return member->op.ticket.owner == owner;
        });
    };
    if (record_.waiting > 0) {
        queue_.visit([&](const engine::admission::waiter& one) {
            if (!of(one.owner)->withdraw_failed) { complain("somebody was left in the queue"); }
        });
    }
    for (const auto& one : record_.holds) {
        const auto actor = of(one.owner);
        const bool explained =
            actor->withdraw_failed || (actor->holding && actor->holding->why()) ||
            (actor->holding && actor->holding->ending() == lease_ending::unknown);
        if (!explained) { complain("a hold was left that nobody wants"); }
    }
}

void simulation::complain(const std::string& what) {
    if (!complaint_.empty()) { return; }
    const auto ms = std::chrono::duration<double, std::milli>(now_ - begin_of_time).count();
    complaint_ = "at " + std::to_string(ms) + " ms: " + what;
}

} // namespace holdfast::machine
