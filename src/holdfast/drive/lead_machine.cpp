#include "holdfast/drive/lead_machine.hpp"

namespace holdfast::drive {

using base::instant;

bool lead_machine::take(instant now) noexcept {
    if (state_ != lead_state::vacant && state_ != lead_state::offered) { return false; }
    // If another caller than the chosen follower takes it, that follower follows again.
    chosen_ = nullptr;
    state_ = lead_state::caller;
    led_since_ = now;
    return true;
}

void lead_machine::follow(sleeper& sleeper) noexcept {
    sleeper.set(sleeper::state::waiting);
    followers_.add(sleeper);
    pool_.assign_slot(sleeper);
}

void lead_machine::set_ready(sleeper& sleeper) noexcept {
    if (followers::contains(sleeper)) {
        followers_.remove(sleeper);
        pool_.call(sleeper);
    }
    const bool was_chosen = chosen_ == &sleeper;
    sleeper.set(sleeper::state::ready); // its thread may destroy it from here on
    if (was_chosen) { offer_to_follower(); }
}

lead_state lead_machine::leave(instant now) noexcept {
    switch (state_) {
    case lead_state::caller:
    case lead_state::keeper:
        // A caller leaves as soon as it has its answer, and a follower must wake up before the next
        // answer is read. With many followers that wake-up delays all, so the keeper leads then.
        if (keeper_running_ && followers_.size() >= crowd) {
            state_ = lead_state::keeper;
        } else {
            offer_to_follower();
        }
        break;
    case lead_state::closing: state_ = lead_state::shutdown; break;
    case lead_state::shutdown: state_ = lead_state::vacant; break;
    case lead_state::vacant:
    case lead_state::offered:
    case lead_state::ended: return state_;
    }
    led_since_ = now;
    if (state_ == lead_state::vacant) { last_led_ = now; }
    return state_;
}

void lead_machine::offer_to_follower() noexcept {
    chosen_ = nullptr;
    state_ = lead_state::vacant;
    if (followers_.empty()) { return; }
    state_ = lead_state::offered;
    chosen_ = &followers_.first();
    followers_.remove(*chosen_);
    pool_.call(*chosen_);
    chosen_->set(sleeper::state::chosen);
}

void lead_machine::shut_down(instant now) noexcept {
    if (state_ == lead_state::keeper) { state_ = lead_state::closing; }
    if (state_ != lead_state::vacant && state_ != lead_state::offered) { return; }
    chosen_ = nullptr;
    state_ = lead_state::shutdown;
    led_since_ = now;
}

} // namespace holdfast::drive
