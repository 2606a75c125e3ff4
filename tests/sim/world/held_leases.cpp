// What callers of a simulated client do with the lock: they hold, extend and release it.

#include "sim/world/sim_client.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::sim {

using base::milliseconds;

void sim_client::begin_hold(lock_caller& caller) {
    caller.state = caller_state::holding;
    caller.lease = {caller.hold.get(), ticket_of(caller.number), true};
    caller.extensions = caller.step.extensions;
    for (auto& each : open_) {
        if (each.number == caller.number) { each.hold = caller.hold; }
    }
    note("HOLDS the lock as number " + std::to_string(caller.number) + ", token " +
         std::to_string(caller.hold->token()) + ", valid until " +
         timeline::stamp(clock_.true_time(clock_.now() + caller.hold->remaining())));
    context_.listener.on_lease_began(caller.lease.ticket, caller.hold->token(), clock_.wall_us());
    caller.served = true;
    context_.listener.on_caller_served(index_, static_cast<unsigned>(&caller - callers_.data()));
    set_due(caller, context_.now + caller.step.hold / (1 + caller.step.extensions));
}

void sim_client::extend(lock_caller& caller) {
    set_due(caller, context_.now + caller.step.hold / (1 + caller.step.extensions));
    if (caller.extension && !caller.extension->sleeper.ready()) { return; } // one at a time
    const bool to_other = --caller.extensions % 2 == caller.step.extensions % 2;
    const auto other = caller.step.lease == context_.scenario.least_lease
                           ? context_.scenario.longest_lease
                           : context_.scenario.least_lease;
    caller.extension = std::make_unique<core::hold::waiting_caller>();
    caller.extension->lease = to_other ? caller.step.lease : other;
    note("extends number " + std::to_string(caller.number) + " to " +
         std::to_string(caller.extension->lease.count()) + " ms");
    const auto hold = caller.hold;
    {
        const drive::driver::turn turn{core_->driver()};
        hold->extend(*caller.extension, turn.now());
    }
}

void sim_client::release(lock_caller& caller) {
    // A caller of extend() is gone before its thread releases: wait for its answer.
    caller.to_release = caller.extension && !caller.extension->sleeper.ready();
    if (caller.to_release) { return; }
    note("releases number " + std::to_string(caller.number));
    caller.lease = {};
    const auto hold = std::exchange(caller.hold, nullptr);
    {
        const drive::driver::turn turn{core_->driver()};
        hold->release_in_background(nullptr, false, turn.now());
    }
    if (calm_ && caller.served) {
        caller.state = caller_state::done;
    } else {
        think(caller);
    }
}

bool sim_client::extend_and_release() {
    const auto holder = std::find_if(callers_.begin(), callers_.end(), [](const auto& each) {
        return each.state == caller_state::holding && each.hold->valid();
    });
    if (is_paused() || holder == callers_.end()) { return false; }
    holder->extensions = 1;
    extend(*holder);
    holder->extensions = 0;
    set_due(*holder, context_.now + milliseconds{5});
    run(); // sends it
    return true;
}

} // namespace holdfast::sim
