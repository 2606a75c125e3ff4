#pragma once
// The interface through which the driver runs waits, holds and reports.

#include "holdfast/base/clock.hpp"
#include "holdfast/drive/listeners.hpp"
#include "holdfast/drive/timer_heap.hpp"
#include "holdfast/engine/answers.hpp"

#include <cstdint>
#include <memory>

namespace holdfast::drive {

/// Which of a participant's operations an answer belongs to.
enum class purpose : std::uint8_t { acquire, withdraw, release, report };

/// All functions are called under the driver's lock.
///
/// Without memory, `on_answer`, `on_beat` and `on_notice` may throw before they have changed
/// anything. They are then called again as if the answer had been lost (`unknown`, without a
/// detail) or notices missed (`inbox_reset`), and must not throw then. The other functions never
/// throw.
class participant : public timer_node, public std::enable_shared_from_this<participant> {
public:
    participant() = default;
    participant(const participant&) = delete;
    participant& operator=(const participant&) = delete;
    virtual ~participant() = default;

    virtual void on_timer(base::instant now) = 0;
    virtual void on_answer(purpose purpose, const engine::answer& answer, base::instant sent,
                           base::instant now) = 0;
    /// `lease` is the requested one; 0 for a waiter's heartbeat.
    virtual void on_beat(const engine::beat_answer& /*answer*/, base::instant /*sent*/,
                         base::milliseconds /*lease*/, base::instant /*now*/) {}
    virtual void on_notice(const engine::notice& /*notice*/, base::instant /*now*/) {}
    virtual void on_cancel(base::instant /*now*/) {}
    /// Resends at once what waits for the end of its pause.
    virtual void on_hurry(base::instant /*now*/) {}
    /// Whether it has something to resend after a pause.
    [[nodiscard]] virtual bool is_unfinished() const { return false; }
    /// The driver ends: no more answers will come.
    virtual void on_shutdown() {}

    listener_link<participant> listening; ///< only `listeners` uses it

private:
    friend class cancel_queue;
    friend class unsent_queue;
    struct unsent_link {
        std::shared_ptr<participant> next{};
        std::uint8_t purposes = 0;   ///< a bit for each that could not be sent
        unsigned beats = 0;          ///< how many could not be sent
        base::milliseconds lease{0}; ///< of the last beat
    };
    unsent_link unsent_;
    std::shared_ptr<participant> next_cancelled_;
};

} // namespace holdfast::drive
