#include "sim/world/sim_client.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::sim {

using base::instant;
using base::milliseconds;

namespace {

client_options options_of(const scenario& scenario) {
    client_options out;
    out.connect_wait = scenario.connect_wait;
    return out;
}

/// Waits for the lock, holds it briefly and releases it.
void calm_step(caller_step& step) {
    step.wait = step.cancel_after = never_again;
    step.hold = std::min<sim_time>(step.hold, milliseconds{5});
    step.extensions = 0;
}

} // namespace

std::string describe(const ticket_id& ticket) {
    return "client " + std::to_string(ticket.client) +
           (ticket.life == 0 ? "" : "'" + std::to_string(ticket.life)) + " number " +
           std::to_string(ticket.number);
}

/// Ends one round of the driver: a cancelled wait wakes the leader, and makes it ready.
class sim_client::round_marker final : public drive::participant {
public:
    explicit round_marker(core::client_core& core) noexcept : core_{core} {}

    void run() {
        sleeper_.set(drive::sleeper::state::waiting);
        core_.driver().cancel(shared_from_this());
        drive::driver::turn turn{core_.driver()};
        turn.wait(sleeper_);
    }
    void on_cancel(instant /*now*/) override { core_.driver().ready(sleeper_); }
    void on_timer(instant /*now*/) override {}
    void on_answer(drive::purpose /*purpose*/, const engine::answer& /*answer*/, instant /*sent*/,
                   instant /*now*/) override {}

private:
    core::client_core& core_;
    drive::sleeper sleeper_;
};

base::client_id sim_client::id_of(unsigned index, unsigned life) {
    base::client_id out;
    out.bytes[0] = static_cast<std::uint8_t>(index);
    out.bytes[1] = static_cast<std::uint8_t>(life >> 8U);
    out.bytes[2] = static_cast<std::uint8_t>(life);
    return out;
}

sim_client::sim_client(unsigned index, unsigned life, const client_context& context,
                       const engine_maker& make_engine)
    : index_{index},
      life_{life},
      context_{context},
      label_{"client " + std::to_string(index) + (life == 0 ? "" : "'" + std::to_string(life))},
      clock_{context.now, context.scenario.client_rates[index],
             context.scenario.client_offsets[index],
             context.scenario.planted == mistake::wall_clock} {
    identity_.client = id_of(index, life);
    identity_.time = &clock_;
    identity_.host = "sim";
    identity_.pid = index;
    auto recorder = std::make_unique<seam_recorder>(make_engine(identity_), clock_, label_,
                                                    context.now, context.timeline);
    recorder_ = recorder.get();
    std::unique_ptr<seam::engine> engine = std::move(recorder);
    if (context.scenario.planted != mistake::none) {
        engine = std::make_unique<flawed_engine>(std::move(engine), context.scenario.planted);
    }
    core_ = std::make_unique<core::client_core>(std::move(engine), identity_,
                                                options_of(context.scenario));
    marker_ = std::make_shared<round_marker>(*core_);
    callers_.resize(context.scenario.callers);
    for (auto& each : callers_) { think(each); }
}

/// As if it was killed: the network lets nothing out any more.
sim_client::~sim_client() {
    clock_.end();
    for (auto& each : callers_) {
        each.task.reset();
        each.hold.reset();
    }
    core_->driver().cancel(marker_); // so that the driver's last round does not block
    core_.reset();
}

void sim_client::note(const std::string& text) {
    context_.timeline.add(context_.now, label_, [&] { return text; });
}

void sim_client::set_due(lock_caller& caller, sim_time when) {
    caller.due = when;
    if (when == never_again) { return; }
    context_.events.add(when, event_kind::caller_step, index_,
                        static_cast<std::uint32_t>(&caller - callers_.data()));
}

void sim_client::think(lock_caller& caller, sim_time least) {
    const auto at = static_cast<unsigned>(&caller - callers_.data());
    caller.state = caller_state::thinking;
    caller.step = step_of(context_.scenario, index_, at, life_ * 1000 + caller.steps++);
    if (calm_) { calm_step(caller.step); }
    set_due(caller, context_.now + std::max(caller.step.think, least));
}

void sim_client::set_calm() {
    calm_ = true;
    for (auto& each : callers_) {
        if (each.state == caller_state::waiting) { set_due(each, never_again); }
        if (each.state == caller_state::holding) { set_due(each, context_.now + milliseconds{5}); }
        each.extensions = 0;
        each.served = false;
        calm_step(each.step);
    }
}

void sim_client::hurry() {
    for (auto& each : callers_) {
        if (each.state == caller_state::holding && each.extensions > 0) {
            set_due(each, context_.now + milliseconds{20});
        }
    }
}

void sim_client::step(unsigned caller) {
    auto& each = callers_[caller];
    if (is_paused() || context_.now < each.due) { return; }
    switch (each.state) {
    case caller_state::thinking: begin_wait(each); break;
    case caller_state::waiting:
        note("caller " + std::to_string(caller) + " gives up");
        each.due = never_again;
        core_->driver().cancel(each.task);
        return run();
    case caller_state::holding:
        if (each.extensions > 0) {
            extend(each);
        } else {
            release(each);
        }
        break;
    case caller_state::done: return;
    }
    look();
    wake_later();
}

/// As client_core::acquire, which would block.
void sim_client::begin_wait(lock_caller& caller) {
    const auto caps = core_->caps(primitive::mutex, {});
    core::lock_request request;
    request.name = lock_name;
    request.options.lease = caller.step.lease;
    request.options.margin = context_.scenario.margin;
    request.options.renew = caller.step.renews;
    const bool may_wait = caller.step.wait > sim_time::zero();
    machine::wait_plan plan;
    plan.may_wait = may_wait;
    plan.queue_grants = caps.queue == engine::queueing::grant;
    plan.once = !may_wait || core_->single_attempt();
    plan.connect_wait =
        may_wait ? core_->connect_wait() : std::min(core_->connect_wait(), caps.attempt);
    plan.lease = request.options.lease;
    plan.margin = request.options.margin;
    if (caller.step.wait != never_again) { plan.give_up = clock_.now() + caller.step.wait; }
    const auto owner = core_->new_owner();
    caller.number = owner.number;
    recorder_->add_ticket(caller.number, context_.scenario.margin);
    note("waits for the lock as number " + std::to_string(caller.number) + ", for " +
         span_text(caller.step.wait));
    caller.task = std::make_shared<core::wait_task>(*core_, request, owner, plan,
                                                    may_wait ? caps.queue : engine::queueing::no);
    open_.push_back({caller.number, caller.task, {}});
    caller.state = caller_state::waiting;
    set_due(caller, caller.step.cancel_after == never_again
                        ? never_again
                        : context_.now + caller.step.cancel_after);
    const drive::driver::turn turn{core_->driver()};
    caller.task->start(turn.now());
}

void sim_client::run() {
    if (is_paused()) { return; }
    marker_->run();
    look();
    wake_later();
}

void sim_client::resume() {
    paused_until_ = sim_time::zero();
    note("continues");
    run();
    for (unsigned at = 0; at < callers_.size(); ++at) { step(at); }
}

/// What has become of waits and holds since the last round.
void sim_client::look() {
    for (auto& each : callers_) {
        if (each.state == caller_state::waiting) { follow_owner(each); }
        if (each.state == caller_state::waiting && each.task->finished()) { end_wait(each); }
        if (each.state == caller_state::holding && each.hold->why_lost()) {
            note("has lost number " + std::to_string(each.number) + ": " +
                 core::describe(*each.hold->why_lost()));
            context_.listener.on_lease_lost(ticket_of(each.number), *each.hold->why_lost());
            each.hold.reset();
            each.lease = {};
            each.to_release = false;
            think(each);
        }
        if (each.to_release) { release(each); }
    }
    close_tickets();
}

/// A wait whose ticket has ended goes on with another one, which has not been sent yet.
void sim_client::follow_owner(lock_caller& caller) {
    const auto number = caller.task->owner().number;
    if (number == caller.number) { return; }
    context_.listener.on_ticket_refused(ticket_of(caller.number));
    note("waits on as number " + std::to_string(number));
    recorder_->add_ticket(number, context_.scenario.margin);
    for (auto& each : open_) {
        if (each.number == caller.number) { each.task.reset(); }
    }
    open_.push_back({number, caller.task, {}});
    caller.number = number;
}

void sim_client::end_wait(lock_caller& caller) {
    const auto task = std::exchange(caller.task, nullptr);
    if (task->result() == machine::waiter_machine::outcome::granted) {
        caller.hold = task->take_hold();
        return begin_hold(caller);
    }
    note("gets no lock for number " + std::to_string(caller.number) + ": " +
         (task->detail().empty() ? "busy, or in time no more" : task->detail()));
    // While too few nodes vote, a wait without connect_wait fails at once: it would try for ever.
    think(caller, calm_ ? milliseconds{200} : milliseconds{0});
}

void sim_client::close_tickets() {
    std::erase_if(open_, [this](const open_ticket& each) {
        if (!each.task.expired() || !each.hold.expired()) { return false; }
        context_.listener.on_ticket_over(ticket_of(each.number),
                                         recorder_->ticket(each.number).ended);
        recorder_->forget(each.number);
        return true;
    });
}

void sim_client::wake_later() {
    auto first = recorder_->due();
    for (const auto& each : open_) {
        for (const auto* const weak : {&each.task, &each.hold}) {
            if (const auto live = weak->lock()) { first = std::min(first, live->due()); }
        }
    }
    if (first == base::never) { return; }
    const auto when = std::max(clock_.true_time(first), context_.now);
    if (when >= wake_ && wake_ > context_.now) { return; }
    wake_ = when;
    context_.events.add(when, event_kind::client_wake, index_);
}

} // namespace holdfast::sim
