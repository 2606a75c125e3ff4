#pragma once
// The command under guard: starting it, watching it, and ending it and all that it started in time.

#include "cli/link.hpp"
#include "cli/loss_bell.hpp"
#include "cli/run_settings.hpp"
#include "cli/signals.hpp"
#include "cli/spawn.hpp"
#include "holdfast/base/clock.hpp"

#include <holdfast/lease.hpp>

#include <chrono>
#include <csignal>
#include <set>
#include <sys/types.h>

namespace holdfast::cli {

/// So much before the deadline the last of the child's tree is killed: finding them all takes time.
inline constexpr std::chrono::milliseconds kill_slack{20};

/// Where the guardian stands: what it was given, and what it hears.
struct post {
    const run_settings& settings;
    const link_end& front;
    shared_deadline& deadline;
    const signal_state& signals;
    pid_t group; ///< the front's process group, and the child's
    signal_queue events{{SIGCHLD, SIGTERM}};
};

/// Tells the front when to end the child if we do not.
void tell_deadline(const post& at, const lease& held);

/// The child and its tree, from the start to the last of them.
///
///   running      child exits: clearing | lease nearly over, or front gone or cancels: ending
///   ending       SIGTERM was sent; grace over or lease over: everything is killed
///   clearing     the child is gone; whatever it left behind gets SIGTERM, then SIGKILL
///   gone         nothing is left: the lock can be released
class guarded_child {
public:
    guarded_child(const post& at, lease& held)
        : at_{at}, settings_{at.settings}, held_{held}, loss_{held} {}

    /// False: it could not be started, as status() says in the way of a shell.
    bool start(ready_child& ready);
    /// Until nothing is left.
    void watch();

    [[nodiscard]] bool was_lost() const noexcept { return lost_; }
    [[nodiscard]] int status() const noexcept { return status_; }

private:
    enum class state { running, ending, clearing, gone };
    using milliseconds = std::chrono::milliseconds;

    [[nodiscard]] milliseconds left() const noexcept { return held_.remaining(); }
    [[nodiscard]] milliseconds next_look() const noexcept;
    void look_at_time();
    void end_child(const char* why);
    void ask_all_to_end();
    void kill_all();
    void reap();
    void on_change(int status);
    void begin_clearing();
    void listen();
    void pass_on(int signal) const;

    const post& at_;
    const run_settings& settings_;
    lease& held_;
    loss_bell loss_; ///< a broken lock ends the command at once, not at the next look
    state state_ = state::running;
    pid_t child_ = 0;
    int status_ = 0;
    std::set<pid_t> asked_; ///< those that SIGTERM was sent to
    bool childless_ = false;
    bool lost_ = false;
    bool front_gone_ = false;
    bool front_may_have_stopped_ = false;
    base::instant kill_at_{};
};

} // namespace holdfast::cli
