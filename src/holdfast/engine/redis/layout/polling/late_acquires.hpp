#pragma once
// Late acquires: their connection ended before the reply, so they may still reach the server, even
// after their ticket was released.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/ops.hpp"

#include <functional>
#include <vector>

namespace holdfast::engine::redis {

/// Keeps the tickets of such acquires, and schedules withdrawals of unwanted ones. A ticket is
/// never used twice, except after a withdrawal that said so, so a withdrawal cannot affect another
/// hold.
///
///   wanted      the ticket waits, is held or asks again: it is left alone until `mark_unwanted`
///   unwanted    released, withdrawn or cancelled: withdrawn every 250 ms at first, then every
///               second, until nothing of it can arrive any more
///
/// Thread safety: none.
class late_acquires {
public:
    /// When there are more, the oldest is forgotten.
    static constexpr std::size_t max_entries = 1'000;
    /// How long a command without a not-after may arrive after its connection has ended: a kernel
    /// retransmits the data of a closed socket for about 100 s.
    static constexpr base::milliseconds longest_delay{120'000};

    struct entry {
        holdfast::engine::ticket ticket;
        base::instant until{}; ///< it may arrive
        base::instant next = base::never;
        unsigned withdrawals = 0;
        bool asks_again = false; ///< see withdraw_op
    };

    [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
    void add(const ticket& ticket, base::instant until, base::instant now);
    /// How much longer an acquire of this owner may arrive; zero: none can.
    [[nodiscard]] base::duration may_arrive_for(const base::owner_id& owner,
                                                base::instant now) const noexcept;
    /// The ticket was released, withdrawn or cancelled.
    void mark_unwanted(const base::owner_id& owner, bool asks_again, base::instant now);
    /// The ticket asks again.
    void mark_wanted(const base::owner_id& owner) noexcept;
    /// The server refuses it from now on.
    void forget(const base::owner_id& owner);
    /// A server can be reached again: tickets that could not be withdrawn meanwhile are kept a
    /// little longer.
    void resume(base::instant now);

    /// When `take_due` has something; never, if nothing is unwanted, or no server can be reached.
    [[nodiscard]] base::instant due() const noexcept { return due_; }
    /// The tickets to withdraw now whose server is `reachable`; forgets those that cannot arrive
    /// any more.
    [[nodiscard]] std::vector<entry> take_due(base::instant now,
                                              const std::function<bool(const ticket&)>& reachable);

private:
    std::vector<entry> entries_; ///< in the order of `add`
    base::instant due_ = base::never;
};

} // namespace holdfast::engine::redis
