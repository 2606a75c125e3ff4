#pragma once
// A client of the library in virtual time: its core, and callers that lock and unlock.

#include "holdfast/core/client_core.hpp"
#include "holdfast/core/hold.hpp"
#include "holdfast/core/wait_task.hpp"
#include "sim/world/client_clock.hpp"
#include "sim/world/event_queue.hpp"
#include "sim/world/flawed_engine.hpp"
#include "sim/world/scenario.hpp"
#include "sim/world/seam_recorder.hpp"
#include "sim/world/timeline.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::sim {

inline constexpr const char* lock_name = "lock";

/// Identifies a request in the whole run.
struct ticket_id {
    unsigned client = 0;
    unsigned life = 0; ///< how often the client has started
    std::uint64_t number = 0;
    auto operator<=>(const ticket_id&) const = default;
};
[[nodiscard]] std::string describe(const ticket_id& ticket);

/// What clients tell the checks.
class client_listener {
public:
    client_listener() = default;
    client_listener(const client_listener&) = delete;
    client_listener& operator=(const client_listener&) = delete;

    /// `wall_us` is what the wall clock of the client's machine shows.
    virtual void on_lease_began(const ticket_id& ticket, std::uint64_t token,
                                std::int64_t wall_us) = 0;
    virtual void on_lease_lost(const ticket_id& ticket, loss reason) = 0;
    /// The client has nothing more to do with it. `confirmed`: nor has the engine.
    virtual void on_ticket_over(const ticket_id& ticket, bool confirmed) = 0;
    /// The engine grants it nothing any more, though its caller still waits.
    virtual void on_ticket_refused(const ticket_id& ticket) = 0;
    /// A wait or a hold ended as it should: the caller goes on.
    virtual void on_caller_served(unsigned client, unsigned caller) = 0;

protected:
    ~client_listener() = default;
};

/// What all clients of a run share.
struct client_context {
    const sim::scenario& scenario;
    const sim_time& now;
    event_queue& events;
    sim::timeline& timeline;
    client_listener& listener;
};

/// A process: it runs, is paused or dies. Nothing in it blocks: `run` makes one round of the
/// driver.
///
/// Thread safety: none.
class sim_client {
public:
    /// A lease that a caller has, as the checks see it.
    struct held_lease {
        const core::hold* hold = nullptr;
        ticket_id ticket{};
        bool was_valid = true; ///< when it was last looked at
    };
    /// Makes the engine of a client.
    using engine_maker =
        std::function<std::unique_ptr<seam::engine>(const seam::client_identity& identity)>;

    sim_client(unsigned index, unsigned life, const client_context& context,
               const engine_maker& make_engine);
    sim_client(const sim_client&) = delete;
    sim_client& operator=(const sim_client&) = delete;
    ~sim_client();

    /// Handles what has arrived and what is due, unless it is paused.
    void run();
    /// A caller goes on, if it is time to.
    void step(unsigned caller);
    void pause(sim_time until) noexcept { paused_until_ = until; }
    void resume();
    [[nodiscard]] bool is_paused() const noexcept { return context_.now < paused_until_; }
    /// From now on each caller gets the lock once more, holds it briefly and releases it.
    void set_calm();
    /// Something is wrong with a connection: callers that extend their leases do so now.
    void hurry();
    /// A caller that holds the lock extends its lease now, and then releases it. False: none does.
    [[nodiscard]] bool extend_and_release();
    void step_wall(sim_time by) noexcept { clock_.step_wall(by); }

    [[nodiscard]] unsigned life() const noexcept { return life_; }
    [[nodiscard]] const client_clock& clock() const noexcept { return clock_; }
    [[nodiscard]] seam_recorder& recorder() noexcept { return *recorder_; }
    template <typename Visit>
    void visit_leases(Visit visit) {
        for (auto& each : callers_) {
            if (each.lease.hold != nullptr) { visit(each.lease); }
        }
    }
    [[nodiscard]] static base::client_id id_of(unsigned index, unsigned life);

private:
    enum class caller_state : std::uint8_t { thinking, waiting, holding, done };
    struct lock_caller {
        caller_state state = caller_state::thinking;
        unsigned steps = 0;
        caller_step step{};
        sim_time due{};
        std::uint64_t number = 0;
        std::shared_ptr<core::wait_task> task{};
        std::shared_ptr<core::hold> hold{};
        held_lease lease{};
        unsigned extensions = 0; ///< to come
        bool served = false;     ///< has got the lock, since it is calm
        bool to_release = false; ///< when the last extension is answered
        std::unique_ptr<core::hold::waiting_caller> extension{};
    };
    /// A request that may still have something on the engine.
    struct open_ticket {
        std::uint64_t number = 0;
        std::weak_ptr<drive::participant> task{};
        std::weak_ptr<drive::participant> hold{};
    };
    class round_marker;

    void begin_wait(lock_caller& caller);
    void follow_owner(lock_caller& caller);
    void end_wait(lock_caller& caller);
    void begin_hold(lock_caller& caller);
    void extend(lock_caller& caller);
    void release(lock_caller& caller);
    void think(lock_caller& caller, sim_time least = {});
    void look();
    void close_tickets();
    void wake_later();
    void set_due(lock_caller& caller, sim_time when);
    [[nodiscard]] ticket_id ticket_of(std::uint64_t number) const noexcept {
        return {index_, life_, number};
    }
    void note(const std::string& text);

    unsigned index_;
    unsigned life_;
    client_context context_;
    std::string label_;
    client_clock clock_;
    seam::client_identity identity_;
    seam_recorder* recorder_ = nullptr; // the core owns it
    std::vector<lock_caller> callers_;
    std::unique_ptr<core::client_core> core_;
    std::shared_ptr<round_marker> marker_;
    std::vector<open_ticket> open_;
    sim_time paused_until_{0};
    sim_time wake_ = never_again; ///< when an event is scheduled
    bool calm_ = false;
};

} // namespace holdfast::sim
