#pragma once
// A machine that the driver runs: it is handed what concerns it, and asks the driver to act.

#include "holdfast/base/clock.hpp"
#include "holdfast/drive/listeners.hpp"
#include "holdfast/drive/timer_heap.hpp"
#include "holdfast/engine/answers.hpp"

#include <cstdint>
#include <memory>

namespace holdfast::drive {

/// Which of a participant's operations an answer is to.
enum class purpose : std::uint8_t { ask, withdraw, release, report };

/// All functions are called under the driver's lock.
///
/// When there is no memory: `on_answer`, `on_beat` and `on_notice` may throw as long as they have
/// changed nothing. They are then called again as if the answer had been lost (`unknown`, without a
/// detail) or notices missed (`inbox_reset`), and must not throw at that. The others never throw.
class participant : public timer_node, public std::enable_shared_from_this<participant> {
public:
    participant() = default;
    participant(const participant&) = delete;
    participant& operator=(const participant&) = delete;
    virtual ~participant() = default;

    virtual void on_timer(base::instant now) = 0;
    virtual void on_answer(purpose purpose, const engine::answer& answer, base::instant sent,
                           base::instant now) = 0;
    /// `lease` is what was asked for; 0 for a waiter's heartbeat.
    virtual void on_beat(const engine::beat_answer& /*what*/, base::instant /*sent*/,
                         base::milliseconds /*lease*/, base::instant /*now*/) {}
    virtual void on_notice(const engine::notice& /*what*/, base::instant /*now*/) {}
    virtual void on_cancel(base::instant /*now*/) {}
    /// What it has to send again after a pause goes out now.
    virtual void on_hurry(base::instant /*now*/) {}
    /// Whether it has something to send again after a pause.
    [[nodiscard]] virtual bool is_unfinished() const { return false; }
    /// The driver ends: there will be no answer any more.
    virtual void on_shutdown() {}

    listener_link<participant> listening; ///< for `listeners` alone

private:
    friend class driver;
    /// What could not be sent, because there was no memory for it; told as soon as possible.
    struct unsent_part {
        std::shared_ptr<participant> next{};
        std::uint8_t purposes = 0; ///< a bit for each
        unsigned beats = 0;
        base::milliseconds lease{0}; ///< of the last beat
    };
    unsent_part unsent_;
    std::shared_ptr<participant> next_cancelled_;
};

} // namespace holdfast::drive
