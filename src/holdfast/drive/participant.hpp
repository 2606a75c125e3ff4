#pragma once
// A machine that the driver runs: it is handed what concerns it, and asks the driver to act.

#include "holdfast/base/clock.hpp"
#include "holdfast/drive/timer_heap.hpp"
#include "holdfast/engine/answers.hpp"

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>

namespace holdfast::drive {

/// Which of a participant's operations an answer is to.
enum class purpose : std::uint8_t { ask, withdraw, release, report };

/// All functions are called under the driver's lock.
class participant : public timer_node, public std::enable_shared_from_this<participant> {
public:
    participant() = default;
    participant(const participant&) = delete;
    participant& operator=(const participant&) = delete;
    virtual ~participant() = default;

    virtual void on_timer(base::instant now) = 0;
    virtual void on_answer(purpose of, const engine::answer& what, base::instant sent,
                           base::instant now) = 0;
    /// `lease` is what was asked for; 0 for a waiter's heartbeat.
    virtual void on_beat(const engine::beat_answer& /*what*/, base::instant /*sent*/,
                         base::milliseconds /*lease*/, base::instant /*now*/) {}
    virtual void on_notice(const engine::notice& /*what*/, base::instant /*now*/) {}
    virtual void on_cancel(base::instant /*now*/) {}
};

/// A caller that blocks until its participant has something for it. Lives on the caller's stack.
/// Once it is ready nobody else touches it or what it waited for, so that its thread goes on
/// without the driver's lock.
class sleeper {
public:
    enum class state : std::uint32_t {
        waiting,
        chosen, ///< it is to drive the engine now
        ready,  ///< what it waits for has happened
    };

    [[nodiscard]] bool ready() const noexcept {
        return state_.load(std::memory_order_acquire) == state::ready;
    }
    void set(state what) noexcept { state_.store(what, std::memory_order_release); }

    /// Blocks while it is `waiting`.
    void sleep() noexcept;
    /// After `set`, from another thread. It may be gone by then: only its address is used.
    static void wake(const sleeper* who) noexcept;

private:
    friend class driver;
    std::atomic<state> state_{state::waiting};
    std::list<sleeper*>::iterator place_{}; ///< among the driver's followers
    bool follows_ = false;
};

} // namespace holdfast::drive
