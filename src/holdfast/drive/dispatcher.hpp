#pragma once
// Submits the requests of participants to the engine, and delivers answers, notices and timers to
// them.

#include "holdfast/drive/answer_queue.hpp"
#include "holdfast/drive/client_metrics.hpp"
#include "holdfast/drive/guarded_engine.hpp"
#include "holdfast/drive/heartbeats.hpp"
#include "holdfast/drive/in_flight.hpp"
#include "holdfast/drive/notice_queue.hpp"
#include "holdfast/drive/participant.hpp"
#include "holdfast/drive/timer_heap.hpp"
#include "holdfast/drive/turn_clock.hpp"
#include "holdfast/drive/unsent_queue.hpp"

#include <algorithm>
#include <memory>

namespace holdfast::drive {

/// Participants make requests at any time during a turn; `settle` delivers what comes of them. No
/// delivery throws: an exception would leave the remaining participants without their answers.
///
/// Thread safety: none, the driver's lock is held.
class dispatcher final : private engine::sink {
public:
    dispatcher(guarded_engine& engine, turn_clock& clock, client_metrics& metrics)
        : clock_{clock}, engine_{engine}, metrics_{metrics} {
        engine->attach(*this);
    }

    /// `make` returns the operation, or a reference to one. If there is no memory for it or for its
    /// answer, the participant is answered as if the engine could not be reached.
    template <typename Make>
    void send(participant& participant, purpose purpose, Make make,
              base::instant give_up) noexcept {
        try {
            submit(participant, purpose, make(), give_up);
        } catch (...) { unsent_.add_operation(participant, purpose); }
    }
    /// Takes the participant's last request of this purpose back. True: it has not happened and
    /// never will, and there is no answer.
    [[nodiscard]] bool recall(const participant& participant, purpose purpose) noexcept;
    /// `make` returns the item; `lease` is its lease. If there is no memory for it, the participant
    /// is answered `unknown`.
    template <typename Make>
    void beat(participant& participant, base::milliseconds lease, Make make,
              base::instant useful_until) noexcept {
        try {
            heartbeats_.add({participant.shared_from_this(), make(), useful_until});
        } catch (...) { unsent_.add_beat(participant, lease); }
    }
    void wake_at(participant& participant, base::instant when) noexcept {
        timers_.set(participant, when);
    }
    [[nodiscard]] notice_queue& notices() noexcept { return notices_; }

    /// Delivers all answers and notices and sends all requested heartbeats, until nothing is left.
    /// Returns whether anything was submitted.
    bool settle() noexcept {
        // A participant may call it during a delivery; then the outer call does the work.
        return !settling_ && has_work() && settle_all();
    }
    /// Runs the timers that are due.
    void run_timers() noexcept;

    /// When a timer, the engine or a postponed notice is due.
    [[nodiscard]] base::instant next_due() const noexcept {
        return std::min({timers_.next(), engine_.due(), notices_.due()});
    }
    [[nodiscard]] bool timer_due() const noexcept { return timers_.next() <= clock_.now(); }
    [[nodiscard]] bool idle() const noexcept { return in_flight() == 0; }
    [[nodiscard]] bool awaits_heartbeat() const noexcept { return heartbeats_.in_flight() > 0; }

private:
    struct sent_operation {
        std::shared_ptr<drive::participant> participant;
        drive::purpose purpose{};
        base::instant sent{};
    };

    void answered(engine::answer&& answer) override { answers_.add(std::move(answer)); }
    void noticed(const engine::notice& notice) override { notices_.add(notice, clock_.now()); }
    void reconnected() noexcept override { metrics_.on_reconnected(); }
    [[nodiscard]] base::instant now() const noexcept override { return clock_.now(); }

    void submit(participant& participant, purpose purpose, const engine::op& operation,
                base::instant give_up);
    [[nodiscard]] std::size_t in_flight() const noexcept {
        return operations_.size() + heartbeats_.in_flight();
    }
    [[nodiscard]] bool has_work() const noexcept {
        return engine_.submitted() || !answers_.empty() || engine_.has_lost() || !unsent_.empty() ||
               notices_.ready(clock_.now()) || heartbeats_.pending();
    }
    bool settle_all() noexcept;
    void deliver_all() noexcept;
    void deliver_answers() noexcept;
    void deliver_lost() noexcept;
    void send_heartbeats() noexcept;

    turn_clock& clock_;
    guarded_engine& engine_;
    client_metrics& metrics_;
    answer_queue answers_;
    drive::in_flight<sent_operation> operations_;
    heartbeats heartbeats_;
    notice_queue notices_;
    timer_heap timers_;
    unsent_queue unsent_;
    bool settling_ = false;
};

} // namespace holdfast::drive
