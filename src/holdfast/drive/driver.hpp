#pragma once
// Runs the engine and the participants of one client.

#include "holdfast/drive/client_metrics.hpp"
#include "holdfast/drive/dispatcher.hpp"
#include "holdfast/drive/event_loop.hpp"
#include "holdfast/drive/keeper.hpp"
#include "holdfast/drive/lead_machine.hpp"
#include "holdfast/drive/participant.hpp"
#include "holdfast/drive/sleeper.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace holdfast::drive {

/// The first caller that blocks becomes the leader: it drives the engine itself. Other blocked
/// callers follow, and the leader wakes them. While no caller leads, the keeper drives the engine
/// (lead_machine.hpp). A caller whose answer arrives within its turn does not block at all.
///
/// Thread safety: members other than `cancel` are called during a turn, `drain` without one.
class driver {
public:
    driver(std::unique_ptr<engine::engine> engine, const base::time_source& time,
           std::shared_ptr<client_metrics> metrics = std::make_shared<client_metrics>());
    driver(const driver&) = delete;
    driver& operator=(const driver&) = delete;
    ~driver();

    /// Holds the driver's lock. Settles all that was submitted before it unlocks.
    class turn {
    public:
        explicit turn(driver& driver) : driver_{driver}, lock_{driver.mutex_} {
            driver.clock_.refresh();
        }
        turn(const turn&) = delete;
        turn& operator=(const turn&) = delete;
        ~turn() {
            if (lock_.owns_lock()) { driver_.end_turn(lock_); }
        }
        [[nodiscard]] base::instant now() const noexcept { return driver_.clock_.now(); }
        /// Delivers all answers that have arrived.
        void settle() { driver_.loop_.settle(); }
        /// Blocks until `sleeper` is ready, and ends the turn: the caller reads its result without
        /// the lock.
        void wait(sleeper& sleeper) { driver_.wait(lock_, sleeper); }

    private:
        driver& driver_;
        turn_lock lock_;
    };

    [[nodiscard]] engine::capabilities caps(primitive kind,
                                            const engine::lock_format& format) const {
        return engine_->caps_in(kind, format);
    }

    [[nodiscard]] bool is_one_step(std::span<const std::string_view> names,
                                   const engine::lock_format& format) const {
        return engine_->is_one_step(names, format);
    }

    /// See dispatcher::send.
    template <typename Make>
    void send(participant& participant, purpose purpose, Make make,
              base::instant give_up) noexcept {
        dispatcher_.send(participant, purpose, std::move(make), give_up);
    }
    /// See dispatcher::recall.
    [[nodiscard]] bool recall(const participant& participant, purpose purpose) noexcept {
        return dispatcher_.recall(participant, purpose);
    }
    /// See dispatcher::beat.
    template <typename Make>
    void beat(participant& participant, base::milliseconds lease, Make make,
              base::instant useful_until) noexcept {
        dispatcher_.beat(participant, lease, std::move(make), useful_until);
    }
    void wake_at(participant& participant, base::instant when) noexcept {
        dispatcher_.wake_at(participant, when);
    }
    /// Notices for this number go to `participant`, and keep it alive, until `unlisten`.
    void listen(std::uint64_t number, participant& participant) noexcept {
        dispatcher_.notices().listen(number, participant);
    }
    void unlisten(std::uint64_t number) noexcept { dispatcher_.notices().unlisten(number); }
    /// Wakes the caller: its result is complete.
    void ready(sleeper& sleeper) noexcept {
        loop_.wake(sleeper);
        lead_.set_ready(sleeper);
    }
    /// Participants count their outcomes there.
    [[nodiscard]] client_metrics& metrics() noexcept { return *metrics_; }
    /// Starts the keeper if it does not run. Call it before the first acquire, because a hold needs
    /// renewals. Throws std::system_error if the system refuses a thread.
    void ensure_keeper() { keeper_.start(); }

    /// From any thread, also inside a stop_callback: it does not take the driver's lock.
    void cancel(std::shared_ptr<participant> participant) noexcept {
        loop_.cancel(std::move(participant));
    }

    /// Waits until nothing is in flight or unfinished, for `max_wait` at most, and then calls
    /// on_shutdown() of all listeners. The last call.
    void drain(base::duration max_wait);

private:
    void end_turn(turn_lock& lock);
    void end_settled_turn(turn_lock& lock);
    void wait(turn_lock& lock, sleeper& sleeper);
    void lead(turn_lock& lock, const sleeper& sleeper);
    [[nodiscard]] bool follow(turn_lock& lock, sleeper& sleeper);
    void leave();
    [[nodiscard]] bool unfinished();

    turn_mutex mutex_;
    turn_clock clock_;
    std::shared_ptr<client_metrics> metrics_;
    guarded_engine engine_;
    dispatcher dispatcher_;
    event_loop loop_;
    lead_machine lead_;
    keeper keeper_;
};

} // namespace holdfast::drive
