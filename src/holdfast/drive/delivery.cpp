#include "holdfast/drive/delivery.hpp"

#include <holdfast/error.hpp>

namespace holdfast::drive {

using base::instant;
using base::milliseconds;

void deliver_answer(participant& participant, purpose purpose, const engine::answer& answer,
                    instant sent, instant now) noexcept {
    try {
        return participant.on_answer(purpose, answer, sent, now);
    } catch (...) { // NOLINT(bugprone-empty-catch): called again with less
    }
    engine::answer lost;
    lost.error = make_error_code(errc::unavailable);
    participant.on_answer(purpose, lost, sent, now);
}

void deliver_beat(participant& participant, const engine::beat_answer& answer, instant sent,
                  milliseconds lease, instant now) noexcept {
    try {
        return participant.on_beat(answer, sent, lease, now);
    } catch (...) { // NOLINT(bugprone-empty-catch): called again with less
    }
    participant.on_beat(engine::beat_answer{}, sent, lease, now);
}

void deliver_notice(participant& participant, const engine::notice& notice, instant now) noexcept {
    try {
        return participant.on_notice(notice, now);
    } catch (...) { // NOLINT(bugprone-empty-catch): called again with less
    }
    participant.on_notice({engine::notice::kind::inbox_reset, 0, 0}, now);
}

} // namespace holdfast::drive
