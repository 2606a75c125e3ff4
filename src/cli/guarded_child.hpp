#pragma once
// The command that runs under the lock: started, watched, and ended in time with its process tree.

#include "cli/held_lock.hpp"
#include "cli/log.hpp"
#include "cli/loss_event_fd.hpp"
#include "cli/loss_record.hpp"
#include "cli/message_socket.hpp"
#include "cli/prepared_child.hpp"
#include "cli/renewal_log.hpp"
#include "cli/run_settings.hpp"
#include "cli/shared_deadline.hpp"
#include "cli/signals.hpp"
#include "holdfast/base/clock.hpp"

#include <chrono>
#include <csignal>
#include <set>
#include <string>
#include <sys/types.h>

namespace holdfast::cli {

/// How long before the deadline the child's tree is killed: finding all processes takes time.
inline constexpr std::chrono::milliseconds kill_slack{20};

/// What the guardian works with: its settings, its connection to the front, its signals.
struct guardian_context {
    const run_settings& settings;
    const message_socket& front;
    shared_deadline& deadline;
    const signal_state& signals;
    pid_t group; ///< the front's process group, and the child's
    signal_queue events{{SIGCHLD, SIGTERM}};
};

/// Tells the front when to end the child if the guardian does not.
void publish_deadline(const guardian_context& context, const held_lock& held);

/// The child and its process tree, from the start until none of it is left.
///
///   running      child exits: clearing | lease nearly over, front gone, front cancels: ending
///   ending       SIGTERM was sent; grace over or lease over: everything is killed
///   clearing     the child has exited; processes it left behind get SIGTERM, then SIGKILL
///   gone         no process is left: the lock can be released
class guarded_child {
public:
    guarded_child(const guardian_context& context, const held_lock& held, const loss_record& losses)
        : context_{context},
          settings_{context.settings},
          held_{held},
          losses_{losses},
          renewals_{settings_, held, losses},
          loss_{held.lost()} {}

    /// False: it could not be started, and status() is that of a shell: 127 or 126.
    bool start(prepared_child& prepared);
    /// Returns when no process is left.
    void watch();

    [[nodiscard]] bool was_lost() const noexcept { return lost_; }
    /// Whether --max-hold, and not the lease, is what ends now, or has ended.
    [[nodiscard]] bool max_hold_ends() const noexcept;
    /// How the command ended when the lock was lost: a clause for people.
    [[nodiscard]] std::string ending() const;
    [[nodiscard]] int status() const noexcept { return status_; }

private:
    enum class state { running, ending, clearing, gone };
    using milliseconds = std::chrono::milliseconds;

    [[nodiscard]] milliseconds left() const noexcept { return held_.remaining(); }
    [[nodiscard]] milliseconds poll_timeout() const noexcept;
    void check_deadlines();
    void terminate_before_expiry();
    /// `cause`: a clause that ends the line, or empty.
    void terminate(const char* reason, log_fields fields, const std::string& cause = {});
    void send_sigterm();
    void kill_all();
    void reap();
    void on_status_change(int status);
    void begin_clearing();
    void receive_messages();
    void forward_signal(int signal) const;

    const guardian_context& context_;
    const run_settings& settings_;
    const held_lock& held_;
    const loss_record& losses_;
    renewal_log renewals_;
    loss_event_fd loss_; ///< ends the command at once when the lock is broken
    state state_ = state::running;
    pid_t child_ = 0;
    int status_ = 0;
    std::set<pid_t> sigterm_sent_; ///< to these processes
    bool childless_ = false;
    bool lost_ = false;
    bool terminated_ = false; ///< the guardian sent SIGTERM to the command
    bool killed_ = false;     ///< by SIGKILL
    bool front_gone_ = false;
    bool front_may_have_stopped_ = false;
    base::instant kill_at_{};
    base::instant held_since_ = base::boot_clock::now();
};

} // namespace holdfast::cli
