// The part of the driver that copes when there is no memory, or when the engine throws: whatever
// cannot be done is told to the participant as if it had got lost on the way, which its machine can
// deal with. Nothing here needs memory.

#include "holdfast/drive/driver.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace holdfast::drive {

using base::instant;
using base::milliseconds;

namespace {

/// An engine that throws whenever it is asked for something shall not keep a cpu busy.
constexpr milliseconds drive_again{20};

constexpr std::uint8_t bit_of(purpose why) noexcept {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(why));
}

} // namespace

/// At once, before anything more is asked of it.
void driver::engine_failed(const char* why) noexcept {
    std::strncpy(trouble_.data(), why, trouble_.size() - 1);
    engine_->reset();
    lost_up_to_ = last_op_;
    engine_due_ = now() + drive_again;
    miss_notices();
}

/// Not at once: whoever hears of it asks the engine, which may throw again.
void driver::miss_notices() noexcept { reset_due_ = std::min(reset_due_, now() + drive_again); }

/// Answers that the engine gave before it threw were handed out first: those are not here any more.
void driver::hand_out_lost() noexcept {
    const auto last = std::exchange(lost_up_to_, 0);
    const auto at = now();
    engine::answer lost;
    lost.error = make_error_code(errc::unavailable);
    try {
        lost.detail = trouble_.data();
    } catch (...) { lost.detail.clear(); }
    while (const auto to = flights_.take_first(last)) {
        tell_answer(*to->participant, to->why, lost, to->sent, at);
    }
    while (true) {
        const auto found = std::find_if(beat_flights_.begin(), beat_flights_.end(),
                                        [last](const auto& one) { return one.first <= last; });
        if (found == beat_flights_.end()) { return; }
        const auto batch = std::move(found->second);
        beat_flights_.erase(found);
        answer_beats(batch, lost, at);
    }
}

void driver::add_unsent(participant& participant) noexcept {
    const auto& waiting = participant.unsent_;
    if (waiting.purposes != 0 || waiting.beats != 0) { return; } // it is in the list
    participant.unsent_.next = std::exchange(unsent_, participant.shared_from_this());
}

void driver::not_sent(participant& participant, purpose why) noexcept {
    add_unsent(participant);
    participant.unsent_.purposes |= bit_of(why);
}

void driver::beat_not_sent(participant& participant, milliseconds lease) noexcept {
    add_unsent(participant);
    ++participant.unsent_.beats;
    participant.unsent_.lease = lease;
}

/// The machines pause before they try again, so this comes to an end.
void driver::hand_out_unsent() noexcept {
    const auto participant = std::exchange(unsent_, unsent_->unsent_.next);
    const auto failed = std::exchange(participant->unsent_, {});
    const auto at = now();
    engine::answer none;
    none.status = engine::op_status::failed;
    none.error = make_error_code(errc::unavailable);
    none.detail = "out of memory"; // short enough to need none
    for (const auto why : {purpose::ask, purpose::withdraw, purpose::release, purpose::report}) {
        if ((failed.purposes & bit_of(why)) != 0) { tell_answer(*participant, why, none, at, at); }
    }
    for (unsigned i = 0; i < failed.beats; ++i) {
        tell_beat(*participant, engine::beat_answer{}, at, failed.lease, at);
    }
}

void driver::tell_answer(participant& participant, purpose why, const engine::answer& answer,
                         instant sent, instant at) noexcept {
    try {
        return participant.on_answer(why, answer, sent, at);
    } catch (...) { // NOLINT(bugprone-empty-catch): then it is told less
    }
    engine::answer lost;
    lost.error = make_error_code(errc::unavailable);
    participant.on_answer(why, lost, sent, at);
}

void driver::tell_beat(participant& participant, const engine::beat_answer& answer, instant sent,
                       milliseconds lease, instant at) noexcept {
    try {
        return participant.on_beat(answer, sent, lease, at);
    } catch (...) { // NOLINT(bugprone-empty-catch): then it is told less
    }
    participant.on_beat(engine::beat_answer{}, sent, lease, at);
}

void driver::tell_notice(participant& participant, const engine::notice& notice,
                         instant at) noexcept {
    try {
        return participant.on_notice(notice, at);
    } catch (...) { // NOLINT(bugprone-empty-catch): then it asks for itself
    }
    participant.on_notice({engine::notice::kind::inbox_reset, 0, 0}, at);
}

void driver::tell_all_of_reset(instant at) noexcept {
    const engine::notice reset{engine::notice::kind::inbox_reset, 0, 0};
    listeners_.tell_all([&](participant& participant) { tell_notice(participant, reset, at); });
}

} // namespace holdfast::drive
