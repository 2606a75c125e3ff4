#pragma once
// Delivers answers and notices to a participant, also when there is no memory.

#include "holdfast/drive/participant.hpp"

namespace holdfast::drive {

// If a participant throws for lack of memory, it has not changed. It is called again as if the
// answer had been lost, or notices missed. That call needs no memory.

void deliver_answer(participant& participant, purpose purpose, const engine::answer& answer,
                    base::instant sent, base::instant now) noexcept;
void deliver_beat(participant& participant, const engine::beat_answer& answer, base::instant sent,
                  base::milliseconds lease, base::instant now) noexcept;
void deliver_notice(participant& participant, const engine::notice& notice,
                    base::instant now) noexcept;

} // namespace holdfast::drive
