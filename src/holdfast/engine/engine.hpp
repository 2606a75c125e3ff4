#pragma once
// The seam: what every engine must do, and all that the rest of the library knows of one.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/answers.hpp"
#include "holdfast/engine/ops.hpp"

#include <poll.h>
#include <span>
#include <sys/types.h>
#include <vector>

namespace holdfast::engine {

/// What an engine can do for a primitive. Asking for more is errc::unsupported.
struct capabilities {
    bool supported = false;
    bool fifo = false;             ///< P6 holds
    queueing queue = queueing::no; ///< the best that it offers
    bool fencing = false;          ///< P3 holds: token() may be used
    bool min_hold = false;
    bool frees_dead_at_once = false; ///< a dead process's holds do not wait for the lease's end
    base::milliseconds least_lease{100};
    base::milliseconds attempt{1000}; ///< the longest that one attempt to reach it may take
    bool notes = true;                ///< keeps hold_options::note
    bool lists = true;                ///< can tell its locks from what else there is
    bool sees_waiters = true;         ///< inspect and list show who waits
    bool not_after = true;            ///< refuses a late duplicate (P5)
    bool recalls_release = true;      ///< a resent release has the same answer
    bool shortens = true;             ///< a renewal to less ends the hold sooner; false: only here
    /// lock() by the thread that has it already renews the lease instead of being an error, and is
    /// not counted.
    bool refreshes = false;
    bool knows_layout = true;         ///< false: nothing can be asked of it in that layout
    layout in = layout::native;       ///< that this is about
    const char* what = "this engine"; ///< to be named in errors
};

/// Where answers and notices arrive. Called from inside `submit`, `cancel` or `drive`; must not
/// call the engine back from there. The driver's never throws, as long as every operation is
/// answered once.
class sink {
public:
    virtual void answered(answer&& answer) = 0;
    virtual void noticed(const notice& notice) = 0;
    /// The clock as whoever drives the engine saw it last; `never`: look for yourself.
    [[nodiscard]] virtual base::instant now() const noexcept { return base::never; }

protected:
    ~sink() = default;
};

/// Where the next answer is to be read, by a caller that waits for nothing else.
struct direct {
    int descriptor = -1;    ///< of a socket; -1: it cannot be said, use poll()
    std::span<char> into{}; ///< written to until `received`
    base::duration spin{0}; ///< for so long it may pay to look before blocking
    std::size_t source = 0; ///< to be given back to `received`: an engine may have several sockets
};

/// One client's access to the place where locks live.
///
/// Asynchronous: `submit` starts an operation and never waits on a network or for another process;
/// the answer comes to the sink, at once or out of a later `drive`. Every submitted operation is
/// answered exactly once, by `give_up` at the latest (then `unknown`, or `failed` if it is certain
/// that nothing happened), unless it is cancelled first.
///
/// `submit`, `drive` and `received` may throw at any point; see `reset`. The other functions throw
/// only if nothing has changed.
///
/// Thread safety: none. The driver calls one function at a time, from any thread.
/// After fork() the child calls nothing, not even the destructor.
class engine {
public:
    engine() = default;
    engine(const engine&) = delete;
    engine& operator=(const engine&) = delete;
    virtual ~engine() = default; ///< closes; releases nothing: holds end with their leases

    [[nodiscard]] virtual capabilities caps(primitive kind) const = 0; ///< as the URL says
    [[nodiscard]] virtual capabilities caps_in(primitive kind, const lock_format& format) const {
        auto can = caps(kind);
        can.knows_layout = format.layout.value_or(layout::native) == layout::native;
        return can;
    }
    virtual void attach(sink& to) = 0; ///< once, before anything else
    virtual void submit(op_id id, const op& operation, base::instant give_up) = 0;
    /// Nobody waits for this answer any more. A grant that comes of it is released by the engine.
    virtual void cancel(op_id id) = 0;
    /// Appends the descriptors to wait for; a quorum appends those of all its nodes.
    virtual void pollables(std::vector<pollfd>& out) const = 0;
    /// Does the I/O that is ready and whatever is due by `now`; returns when it wants to be driven
    /// next even if no descriptor is ready.
    virtual base::instant drive(std::span<const pollfd> ready, base::instant now) = 0;

    /// While answers are on their way over one socket, a caller may read them from it itself, with
    /// one system call instead of two, and not under the driver's lock. Between `expect` and
    /// `received` other threads submit and drive, but with nothing ready. The socket blocks for
    /// some milliseconds at most. `source` is `direct::source`, `count`
    /// what recv() gave, `error` its errno.
    [[nodiscard]] virtual direct expect() { return {}; }
    virtual base::instant received(std::size_t /*source*/, ssize_t /*count*/, int /*error*/,
                                   base::instant /*now*/) {
        return base::never;
    }
    /// How many answers are on their way.
    [[nodiscard]] virtual std::size_t expected() const { return 0; }

    /// After `submit`, `drive` or `received` has thrown, for want of memory or of anything else of
    /// the system's: forgets every operation that is not answered yet, and whatever may be half
    /// done on this side. Whoever asked takes those operations as `unknown`.
    virtual void reset() noexcept {}
};

} // namespace holdfast::engine
