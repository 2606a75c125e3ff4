#pragma once
// Hands answers and notices to a participant, also when there is no memory.

#include "holdfast/drive/participant.hpp"

namespace holdfast::drive {

// A participant that throws, for want of memory, has changed nothing. It is called again with less:
// as if the answer had been lost, or notices missed. That call needs no memory.

void deliver_answer(participant& participant, purpose purpose, const engine::answer& answer,
                    base::instant sent, base::instant now) noexcept;
void deliver_beat(participant& participant, const engine::beat_answer& answer, base::instant sent,
                  base::milliseconds lease, base::instant now) noexcept;
void deliver_notice(participant& participant, const engine::notice& notice,
                    base::instant now) noexcept;

} // namespace holdfast::drive
