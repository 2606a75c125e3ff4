#pragma once
// The seam: the interface of all engines.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/answers.hpp"
#include "holdfast/engine/ops.hpp"

#include <holdfast/options.hpp>

#include <optional>
#include <poll.h>
#include <span>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace holdfast::engine {

/// What an engine can do for a primitive. A request for more fails with errc::unsupported.
struct capabilities {
    bool supported = false;
    const char* why_unsupported = nullptr; ///< for error messages, where there is a reason
    bool fifo = false;                     ///< P6 holds
    queueing queue = queueing::no;         ///< the best kind that it offers
    bool fencing = false;                  ///< P3 holds: token() may be used
    bool readers_fence = true;             ///< also for readers; false: a reader has no token
    const char* why_no_fencing = nullptr;  ///< if fencing cannot be turned on, for error messages
    bool min_hold = false;
    bool frees_dead_at_once = false; ///< a dead process's holds end before their leases
    base::milliseconds least_lease{100};
    base::milliseconds longest_lease{limits::longest_lease};
    const char* longest_lease_option = nullptr; ///< what sets it, for error messages
    std::optional<base::milliseconds> drift{};  ///< unset: 1 % of the lease and 2 ms
    unsigned tries = 0;                         ///< how often a wait asks; 0: no limit
    /// How long a waiter that died delays the others when its turn comes.
    base::milliseconds dead_waiter_delay{hand_off_lease};
    base::milliseconds attempt{1000}; ///< how long one attempt to reach it may take
    bool pushes_grants = true;   ///< by notice::granted; false: maybe_free, and the waiter asks
    bool reclaims = true;        ///< beat_op::item::reclaim has an effect
    bool notes = true;           ///< keeps lock_options::note
    bool lists = true;           ///< can list its locks
    bool sees_waiters = true;    ///< inspect and list show waiters
    bool not_after = true;       ///< refuses an acquire after its not-after (P5)
    bool recalls_release = true; ///< a resent release gets the same answer
    bool shortens = true; ///< a shorter renewal ends the hold sooner; false: only on the client
    /// lock() by the thread that holds the lock renews the lease instead of failing, without
    /// counting.
    bool refreshes = false;
    /// Why it has no cells, and so no latch, barrier, once_flag and election; null: it has.
    const char* why_no_cells = nullptr;
    bool latches = false;    ///< has latches all the same, see cell_op::latch
    bool checks_use = true;  ///< use of a name as another primitive, or limit, is an error
    bool sets = false;       ///< acquire_set_op and release_set_op
    bool downgrades = false; ///< downgrade_op
    const char* why_no_downgrade = nullptr; ///< for error messages, where there is a reason
    bool resizes = false; ///< resize_op; then the engine decides how many permits are too many
    const char* why_no_resize = nullptr; ///< for error messages, where there is a reason
    /// The store says how many permits a semaphore has, once it exists; no limit is wrong then.
    bool stored_limit = false;
    bool joins = true;        ///< can be a node of a quorum: see join_op
    bool knows_layout = true; ///< false: it does not support the requested layout
    holdfast::layout layout = holdfast::layout::native; ///< of these capabilities
    const char* label = "this engine";                  ///< for error messages
};

/// Where an engine delivers answers and notices, from inside `submit`, `cancel` or `drive`. Must
/// not call the engine. The driver's sink never throws if every operation is answered once.
class sink {
public:
    virtual void answered(answer&& answer) = 0;
    virtual void noticed(const notice& notice) = 0;
    /// A new connection works that replaces one which had worked before. Only counted.
    virtual void reconnected() noexcept {}
    /// The driver's last reading of the clock; `never`: the engine reads its own.
    [[nodiscard]] virtual base::instant now() const noexcept { return base::never; }

protected:
    ~sink() = default;
};

/// The socket that a caller reads the next reply from, without poll().
struct direct_read {
    int descriptor = -1;      ///< of a socket; -1: no direct read now, use poll()
    std::span<char> buffer{}; ///< for the bytes, until `finish_direct_read`
    base::duration spin{0};   ///< how long spinning before blocking may pay
    std::size_t source = 0;   ///< argument of `finish_direct_read`: which socket of the engine
};

/// One client's access to the place where locks live.
///
/// Asynchronous: `submit` starts an operation and never waits for a network or another process.
/// The answer goes to the sink, at once or from a later `drive`. The engine answers every operation
/// exactly once, by `give_up` at the latest (then `unknown`, or `failed` if it certainly did not
/// happen), unless it is cancelled first.
///
/// `submit`, `drive` and `finish_direct_read` may throw at any point; see `reset`. The other
/// functions throw only if nothing has changed.
///
/// Thread safety: none. The driver calls one function at a time, from any thread.
/// After fork() the child calls no function, not even the destructor.
class engine {
public:
    engine() = default;
    engine(const engine&) = delete;
    engine& operator=(const engine&) = delete;
    virtual ~engine() = default; ///< releases nothing: holds end with their leases

    [[nodiscard]] virtual capabilities caps(primitive kind) const = 0; ///< as the URL says
    [[nodiscard]] virtual capabilities caps_in(primitive kind, const lock_format& format) const {
        auto can = caps(kind);
        can.knows_layout = format.layout.value_or(layout::native) == layout::native;
        return can;
    }
    /// With `sets`: whether acquire_set_op and release_set_op can have these names.
    [[nodiscard]] virtual bool is_one_step(std::span<const std::string_view> /*names*/,
                                           const lock_format& format) const {
        return caps_in(primitive::mutex, format).sets;
    }
    virtual void attach(sink& to) = 0; ///< once, before anything else
    virtual void submit(op_id id, const op& operation, base::instant give_up) = 0;
    /// The answer is not needed any more. The engine releases a grant that still results.
    virtual void cancel(op_id id) = 0;
    /// Cancels it if nothing was sent of it. True: it has not happened and never will.
    [[nodiscard]] virtual bool recall(op_id /*id*/) { return false; }
    /// Appends the descriptors to wait for; a quorum appends those of all its nodes.
    virtual void pollables(std::vector<pollfd>& out) const = 0;
    /// Does the I/O that is ready and what is due by `now`. Returns when it must be called next
    /// even if no descriptor is ready.
    virtual base::instant drive(std::span<const pollfd> ready, base::instant now) = 0;

    /// Direct read: while replies are due on one socket, a caller may read them itself, with one
    /// system call instead of two, and without the driver's lock. Until `finish_direct_read` other
    /// threads submit and drive, but with nothing ready. A read of the socket blocks for some
    /// milliseconds at most. `source` is `direct_read::source`, `count` the result of recv(),
    /// `error` its errno.
    [[nodiscard]] virtual direct_read start_direct_read() { return {}; }
    virtual base::instant finish_direct_read(std::size_t /*source*/, ssize_t /*count*/,
                                             int /*error*/, base::instant /*now*/) {
        return base::never;
    }
    /// How many replies are due.
    [[nodiscard]] virtual std::size_t replies_in_flight() const { return 0; }

    /// After `submit`, `drive` or `finish_direct_read` has thrown, because memory or another system
    /// resource ran out: forgets every operation that is not answered yet, and all partial state.
    /// The driver treats those operations as `unknown`.
    virtual void reset() noexcept {}
};

} // namespace holdfast::engine
