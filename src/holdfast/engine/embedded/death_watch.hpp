#pragma once
// Wakes the first waiter when the process of a holder dies.

#include "holdfast/base/clock.hpp"
#include "holdfast/base/fd.hpp"
#include "holdfast/base/ids.hpp"
#include "holdfast/engine/admission/queue.hpp"

#include <cstdint>
#include <poll.h>
#include <span>
#include <vector>

namespace holdfast::engine::embedded {

/// A holder that the first waiter waits for.
struct blocker {
    base::client_id client;
    std::int64_t pid = 0;
};

/// Only a hint: pids are reused, and mean other processes in other namespaces. When a process ends,
/// the waiter checks; only the live file proves that a client is dead. A missed end costs a waiter
/// the time until its next beat, a wrong pid costs one needless beat.
class death_watch {
public:
    /// True: the holder is dead already.
    [[nodiscard]] bool watch(const blocker& holder, const admission::liveness& clients,
                             base::instant now);
    void pollables(std::vector<pollfd>& out) const;
    /// True: a watched process ended.
    [[nodiscard]] bool on_ready(std::span<const pollfd> ready);
    void clear() noexcept { watched_.clear(); }

private:
    struct entry {
        base::client_id client;
        base::fd process;            ///< closed once the process has ended
        base::instant last_needed{}; ///< when a waiter last waited for it
    };
    std::vector<entry> watched_;
};

} // namespace holdfast::engine::embedded
