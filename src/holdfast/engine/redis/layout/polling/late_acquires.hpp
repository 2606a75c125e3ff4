#pragma once
// Acquires whose connection ended before they were answered: they may still reach the server, even
// after their ticket was released.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/ops.hpp"

#include <functional>
#include <vector>

namespace holdfast::engine::redis {

/// Keeps the tickets of such acquires, and says when to withdraw those that nobody wants any more.
/// A ticket is never used twice, so that a withdrawal takes nothing from anybody else.
///
///   wanted      the ticket waits or is held: it is left alone until `forsake`
///   forsaken    released, withdrawn or cancelled: withdrawn every 250 ms at first, then every
///               second, until nothing of it can arrive any more
///
/// Thread safety: none.
class late_acquires {
public:
    /// So many are kept; older ones are forgotten.
    static constexpr std::size_t most = 1'000;
    /// For so long a command without a not-after may arrive after its connection has ended: for
    /// about 100 s a kernel sends again what its process has closed.
    static constexpr base::milliseconds longest_delay{120'000};

    struct entry {
        holdfast::engine::ticket ticket;
        base::instant until{}; ///< it may arrive
        base::instant next = base::never;
        unsigned withdrawals = 0;
    };

    [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
    void add(const ticket& ticket, base::instant until, base::instant now);
    /// For how much longer an acquire of this owner may arrive; zero: none can.
    [[nodiscard]] base::duration may_arrive_for(const base::owner_id& owner,
                                                base::instant now) const noexcept;
    /// Nobody wants it from now on.
    void forsake(const base::owner_id& owner, base::instant now);
    /// The server refuses it from now on.
    void forget(const base::owner_id& owner);
    /// A server can be reached again: what could not be withdrawn meanwhile is kept a little
    /// longer.
    void resume(base::instant now);

    /// When `take_due` has something; never, if nothing is forsaken, or no server can be reached.
    [[nodiscard]] base::instant due() const noexcept { return due_; }
    /// What is to be withdrawn now, if `reachable` says that its server can be reached; those that
    /// cannot arrive any more are forgotten.
    [[nodiscard]] std::vector<entry> take_due(base::instant now,
                                              const std::function<bool(const ticket&)>& reachable);

private:
    std::vector<entry> entries_; ///< in the order in which they came
    base::instant due_ = base::never;
};

} // namespace holdfast::engine::redis
