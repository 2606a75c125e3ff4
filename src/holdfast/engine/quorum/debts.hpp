#pragma once
// Withdrawals that a node has not confirmed: they are sent again until it does, or until the vote
// that they take back has expired.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/ops.hpp"

#include <vector>

namespace holdfast::engine::quorum {

/// Thread safety: none.
class debts {
public:
    /// When there are more, the one that ends first is dropped: its vote expires by itself.
    static constexpr std::size_t max_debts = 10'000;
    static constexpr base::milliseconds retry_pause{500};

    struct debt {
        unsigned node = 0;
        withdraw_op withdrawal;
        base::instant until{}; ///< by then the node's vote has expired
        base::instant next{};  ///< when to send it again
    };

    void add(unsigned node, const withdraw_op& withdrawal, base::instant until, base::instant now);
    /// The ticket asks that node again, or holds the lock: what it has there must not be taken
    /// back. Returns whether there was one: the node may have an earlier vote of the ticket.
    bool drop(unsigned node, const base::owner_id& owner) noexcept;
    /// The node can be reached again: what it is owed is due now.
    void hurry(unsigned node, base::instant now) noexcept;
    /// Removes and returns those that are due; drops those that have ended.
    [[nodiscard]] std::vector<debt> take_due(base::instant now);
    [[nodiscard]] base::instant due() const noexcept { return due_; }
    [[nodiscard]] std::size_t size() const noexcept { return debts_.size(); }

private:
    void find_due() noexcept;

    std::vector<debt> debts_;
    base::instant due_ = base::never;
};

} // namespace holdfast::engine::quorum
