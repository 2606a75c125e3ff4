#pragma once
// Runs the participants of a client: lets them submit, wait and be woken.

#include "holdfast/drive/dispatcher.hpp"
#include "holdfast/drive/event_loop.hpp"
#include "holdfast/drive/keeper.hpp"
#include "holdfast/drive/leadership.hpp"
#include "holdfast/drive/participant.hpp"
#include "holdfast/drive/sleeper.hpp"

#include <cstdint>
#include <memory>
#include <utility>

namespace holdfast::drive {

/// A caller that blocks leads: it drives the engine itself. Other callers that block follow, and
/// the leader wakes them. While no caller leads, the keeper does (leadership.hpp). A caller whose
/// answer is there at once never comes to that.
///
/// Thread safety: members other than `cancel` are called during a turn, `drain` without one.
class driver {
public:
    driver(std::unique_ptr<engine::engine> engine, const base::time_source& time);
    driver(const driver&) = delete;
    driver& operator=(const driver&) = delete;
    ~driver();

    /// The driver's lock, held by one thread at a time. Whatever was submitted is settled before it
    /// is given up.
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
        /// Delivers all answers that are there already.
        void settle() { driver_.loop_.settle(); }
        /// Blocks until `sleeper` is ready. The turn may be over then: what was waited for can be
        /// read without it.
        void wait(sleeper& sleeper) { driver_.wait(lock_, sleeper); }

    private:
        driver& driver_;
        turn_lock lock_;
    };

    [[nodiscard]] engine::capabilities caps(primitive kind,
                                            const engine::lock_format& format) const {
        return engine_->caps_in(kind, format);
    }

    /// See dispatcher::send.
    template <typename Make>
    void send(participant& participant, purpose purpose, Make make,
              base::instant give_up) noexcept {
        dispatcher_.send(participant, purpose, std::move(make), give_up);
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
    /// What `sleeper` waits for has happened.
    void ready(sleeper& sleeper) noexcept {
        loop_.wake(sleeper);
        lead_.set_ready(sleeper);
    }
    /// Before anything is submitted whose answer may make a hold. Throws std::system_error if the
    /// system refuses a thread.
    void ensure_keeper() { keeper_.start(); }

    /// From any thread, also inside a stop_callback: takes no lock that is ever held for long.
    void cancel(std::shared_ptr<participant> participant) noexcept {
        loop_.cancel(std::move(participant));
    }

    /// Waits until nothing is in flight or to be sent again, for `most` at most, and tells all
    /// listeners of the shutdown. The last call.
    void drain(base::duration most);

private:
    void end_turn(turn_lock& lock);
    void wait(turn_lock& lock, sleeper& sleeper);
    void lead(turn_lock& lock, const sleeper& sleeper);
    [[nodiscard]] bool follow(turn_lock& lock, sleeper& sleeper);
    void leave();
    [[nodiscard]] bool unfinished();

    turn_mutex mutex_;
    turn_clock clock_;
    guarded_engine engine_;
    dispatcher dispatcher_;
    event_loop loop_;
    leadership lead_;
    keeper keeper_;
};

} // namespace holdfast::drive
