// The other side of the simulation: the network, the server, and what must be true of both.

#include "unit/lock_simulation.hpp"
#include "unit/machine_words.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::machine {

using namespace std::chrono_literals;
using base::instant;
using engine::fate;
using state = waiter_machine::state;

/// The seam's promise: one answer, by `give_up` at the latest; then it is unknown.
void simulation::call(const someone& who, const engine::op& what, instant give_up, reply heard) {
    const auto sent = now_;
    const auto answered = std::make_shared<bool>(false);
    const auto answer = [answered, heard = std::move(heard), sent](const engine::answer& said) {
        if (!std::exchange(*answered, true)) { heard(said, sent); }
    };
    if (chance(how_.refused)) {
        engine::answer none;
        none.what = fate::failed;
        deliver(who, 0ms, [answer, none] { answer(none); });
        return;
    }
    deliver(who, std::max(give_up, now_) - now_, [answer] { answer({}); });
    if (chance(how_.lost)) { return; }
    const auto arrives = std::max(now_ + delay(), stalled_until_);
    at(arrives, [this, who, what, answer] {
        const auto said = serve(what);
        if (chance(how_.lost)) { return; }
        deliver(who, delay(), [answer, said] { answer(said); });
    });
}

instant simulation::server_time(instant when) const {
    if (when == base::never) { return when; }
    const auto passed = std::chrono::duration<double, std::nano>(when - begin_of_time);
    return begin_of_time + std::chrono::round<base::duration>(passed * server_rate_);
}

engine::answer simulation::serve(const engine::op& what) {
    using namespace engine;
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(now_ - instant{});
    const admission::moment moment{server_time(now_), us.count(), nullptr};
    std::vector<admission::push> pushes;
    admission::gate door{record_, queue_, moment, pushes};
    answer said;
    if (const auto* ask = std::get_if<acquire_op>(&what)) {
        auto here = *ask;
        here.not_after = server_time(ask->not_after);
        said = door.acquire(here, {});
    } else if (const auto* beat = std::get_if<beat_op>(&what)) {
        said.beats.push_back(door.beat(beat->items.front()));
    } else if (const auto* release = std::get_if<release_op>(&what)) {
        said.what = door.release(release->who.owner);
    } else if (const auto* withdraw = std::get_if<withdraw_op>(&what)) {
        said.what = door.withdraw(withdraw->who.owner);
    }
    push_notices(pushes);
    return said;
}

/// Late, twice or never.
void simulation::push_notices(const std::vector<engine::admission::push>& all) {
    for (const auto& one : all) {
        const auto found = std::find_if(actors_.begin(), actors_.end(), [&](const someone& who) {
            return who->op.who.owner.number == one.what.number;
        });
        const auto who = *found;
        const wait_input input{one.what.what == engine::notice::kind::granted
                                   ? wait_event::push_granted
                                   : wait_event::push_maybe_free,
                               one.what.token};
        for (auto times = chance(how_.slow) ? 2 : 1; times > 0; --times) {
            if (chance(how_.lost)) { continue; }
            deliver(who, delay(), [this, who, input] {
                if (!who->holding) { feed_wait(who, input); }
            });
        }
    }
}

/// P1: whoever believes that the lock is theirs is the only one, and the server agrees.
void simulation::check() {
    const actor* holder = nullptr;
    for (const auto& who : actors_) {
        if (!who->holding || !who->holding->valid(now_)) { continue; }
        const auto& owner = who->op.who.owner;
        if (holder != nullptr) {
            complain("two are valid: number " + std::to_string(owner.number) + " and " +
                     std::to_string(holder->op.who.owner.number));
        }
        holder = who.get();
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
    for (const auto& who : actors_) {
        const auto number = "number " + std::to_string(who->op.who.owner.number);
        if (!who->finished) { complain(number + " still waits"); }
        if (who->waiting.now_in() != state::done) { complain(number + " still withdraws"); }
        if (!who->holding) { continue; }
        const auto how = who->holding->now_in();
        if (how != lease_machine::state::lost && how != lease_machine::state::ended) {
            complain(number + " is still " + word(how));
        }
    }
    const auto of = [this](const base::owner_id& owner) {
        return *std::find_if(actors_.begin(), actors_.end(),
                             [&](const someone& who) { return who->op.who.owner == owner; });
    };
    if (record_.waiting > 0) {
        queue_.visit([&](const engine::admission::waiter& one) {
            if (!of(one.owner)->withdraw_failed) { complain("somebody was left in the queue"); }
        });
    }
    for (const auto& one : record_.holds) {
        const auto who = of(one.owner);
        const bool explained =
            who->withdraw_failed || (who->holding && who->holding->why()) ||
            (who->holding && who->holding->how_it_ended() == lease_machine::ending::unknown);
        if (!explained) { complain("a hold was left that nobody wants"); }
    }
}

void simulation::complain(const std::string& what) {
    if (!complaint_.empty()) { return; }
    const auto ms = std::chrono::duration<double, std::milli>(now_ - begin_of_time).count();
    complaint_ = "at " + std::to_string(ms) + " ms: " + what;
}

} // namespace holdfast::machine
