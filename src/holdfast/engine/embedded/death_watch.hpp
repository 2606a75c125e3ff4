#pragma once
// Wakes a client when a process dies on whose hold it waits.

#include "holdfast/base/clock.hpp"
#include "holdfast/base/fd.hpp"
#include "holdfast/base/ids.hpp"
#include "holdfast/engine/admission/queue.hpp"

#include <cstdint>
#include <poll.h>
#include <span>
#include <vector>

namespace holdfast::engine::embedded {

/// Who is in the way of the first waiter.
struct blocker {
    base::client_id client;
    std::int64_t pid = 0;
};

/// Only a hint: pids are reused, and name other processes in other namespaces. A process that ended
/// is a reason to look, never a proof; only the live file tells whether a client is dead. A missed
/// end costs a waiter the time until its next beat, a wrong pid costs one needless beat.
class death_watch {
public:
    /// True: it is dead already.
    [[nodiscard]] bool watch(const blocker& holder, const admission::liveness& clients,
                             base::instant now);
    void pollables(std::vector<pollfd>& out) const;
    /// True: somebody died.
    [[nodiscard]] bool hear(std::span<const pollfd> ready);
    void drop() noexcept { watched_.clear(); }

private:
    struct entry {
        base::client_id client;
        base::fd process;       ///< closed once it has ended
        base::instant wanted{}; ///< when a waiter was last behind it
    };
    std::vector<entry> watched_;
};

} // namespace holdfast::engine::embedded
