#pragma once
// Decides which thread drives the engine: at most one at a time.

#include "holdfast/base/clock.hpp"
#include "holdfast/drive/followers.hpp"
#include "holdfast/drive/futex_pool.hpp"

#include <cstdint>

namespace holdfast::drive {

enum class lead_state : std::uint8_t {
    vacant,   ///< nobody leads; the keeper, if it runs, watches the descriptors or rests
    offered,  ///< nobody leads; a follower was chosen and is waking up
    caller,   ///< a caller that waits for its own answer leads
    keeper,   ///< the keeper leads a crowd, or is waking up to do so
    closing,  ///< the keeper leads, and is to leave because the client shuts down
    shutdown, ///< the thread that shuts the client down leads
    ended,    ///< the driver goes away; the keeper's thread ends
};

/// State table; "-" means: nothing changes.
///
///               vacant    offered   caller    keeper    closing   shutdown  ended
///  take         caller    caller    follow    follow    follow    follow    follow
///  leave        -         -         [1]       [1]       shutdown  vacant    -
///  chosen_ready -         [2]       -         -         -         -         -
///  shut_down    shutdown  shutdown  -         closing   -         -         -
///  end          ended     ended     ended     ended     ended     ended     -
///
/// [1] keeper if it runs and the followers are a crowd, otherwise [2]
/// [2] offered if there is a follower, otherwise vacant
///
/// take: a caller has no answer yet; it leads, or follows the thread that does. leave: the leader
/// has its answer, or the keeper has hardly any followers; in `closing` the keeper leaves at once.
/// chosen_ready: the chosen follower got its answer before it took the lead. shut_down: the client
/// is destroyed; no caller is left. In a child of fork() nothing is called: the threads are the
/// parent's, see client_core::inherited().
///
/// A pure machine: it starts no thread and reads no clock.
///
/// Thread safety: none, the driver's lock is held.
class lead_machine {
public:
    explicit lead_machine(futex_pool& pool) noexcept : pool_{pool} {}

    [[nodiscard]] lead_state state() const noexcept { return state_; }
    /// Whether some thread drives the engine.
    [[nodiscard]] bool led() const noexcept {
        return state_ == lead_state::caller || state_ == lead_state::keeper ||
               state_ == lead_state::closing || state_ == lead_state::shutdown;
    }
    [[nodiscard]] base::instant led_since() const noexcept { return led_since_; }
    /// When the last leader left without a successor.
    [[nodiscard]] base::instant last_led() const noexcept { return last_led_; }
    [[nodiscard]] const drive::followers& followers() const noexcept { return followers_; }

    /// True: the caller leads from now on. False: it has to follow.
    [[nodiscard]] bool take(base::instant now) noexcept;
    /// The caller is about to sleep in the pool.
    void follow(sleeper& sleeper) noexcept;
    /// The sleeper's result is complete. Its thread may have destroyed it when this returns.
    void set_ready(sleeper& sleeper) noexcept;
    /// Returns the new state, which tells who leads next.
    lead_state leave(base::instant now) noexcept;
    void shut_down(base::instant now) noexcept;
    void end() noexcept { state_ = lead_state::ended; }
    void set_keeper_running() noexcept { keeper_running_ = true; }

    /// With this many followers or more the keeper leads.
    static constexpr std::size_t crowd = 4;

private:
    void offer_to_follower() noexcept;

    futex_pool& pool_;
    drive::followers followers_;
    sleeper* chosen_ = nullptr; ///< set while `offered`
    base::instant led_since_{};
    base::instant last_led_{};
    lead_state state_ = lead_state::vacant;
    bool keeper_running_ = false;
};

} // namespace holdfast::drive
