#include "holdfast/drive/unsent_queue.hpp"

#include "holdfast/drive/delivery.hpp"

#include <holdfast/error.hpp>

#include <utility>

namespace holdfast::drive {

namespace {

constexpr std::uint8_t bit_of(purpose purpose) noexcept {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(purpose));
}

} // namespace

void unsent_queue::link(participant& participant) noexcept {
    const auto& unsent = participant.unsent_;
    if (unsent.purposes != 0 || unsent.beats != 0) { return; } // it is in the queue already
    participant.unsent_.next = std::exchange(first_, participant.shared_from_this());
}

void unsent_queue::add_operation(participant& participant, purpose purpose) noexcept {
    link(participant);
    participant.unsent_.purposes |= bit_of(purpose);
}

void unsent_queue::add_beat(participant& participant, base::milliseconds lease) noexcept {
    link(participant);
    ++participant.unsent_.beats;
    participant.unsent_.lease = lease;
}

void unsent_queue::deliver_first(base::instant now) noexcept {
    const auto participant = std::exchange(first_, first_->unsent_.next);
    const auto unsent = std::exchange(participant->unsent_, {});
    engine::answer failed;
    failed.status = engine::op_status::failed;
    failed.error = make_error_code(errc::unavailable);
    failed.detail = "out of memory"; // fits into the string itself: no allocation
    for (const auto purpose :
         {purpose::acquire, purpose::withdraw, purpose::release, purpose::report}) {
        if ((unsent.purposes & bit_of(purpose)) != 0) {
            deliver_answer(*participant, purpose, failed, now, now);
        }
    }
    for (unsigned i = 0; i < unsent.beats; ++i) {
        deliver_beat(*participant, engine::beat_answer{}, now, unsent.lease, now);
    }
}

} // namespace holdfast::drive
