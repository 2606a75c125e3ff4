#pragma once
// Withdrawals and releases that a node has not confirmed: they are sent again until it does, or
// until the vote that they take back has expired.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/ops.hpp"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace holdfast::engine::quorum {

/// At most one per node and ticket. All operations take logarithmic time, since a node that is down
/// may be owed thousands.
///
/// Thread safety: none.
class debts {
public:
    /// When there are more, the one that ends first is dropped: its vote expires by itself.
    static constexpr std::size_t max_debts = 10'000;
    static constexpr base::milliseconds retry_pause{500};

    struct debt {
        unsigned node = 0;
        op request;            ///< a withdraw_op; a release_op of a vote that was confirmed
        base::instant until{}; ///< by then the node's vote has expired
        base::instant next{};  ///< when to send it again
    };

    /// `request` is a withdraw_op or a release_op.
    void add(unsigned node, const op& request, base::instant until, base::instant now);
    /// The ticket asks that node again, or holds the lock: what it has there must not be taken
    /// back. Returns whether there was one: the node may have an earlier vote of the ticket.
    bool drop(unsigned node, const base::owner_id& owner) noexcept;
    /// The node can be reached again: what it is owed is due now.
    void hurry(unsigned node, base::instant now) noexcept;
    /// Removes and returns those that are due; drops those that have ended.
    [[nodiscard]] std::vector<debt> take_due(base::instant now);
    [[nodiscard]] base::instant due() const noexcept;
    [[nodiscard]] std::size_t size() const noexcept { return debts_.size(); }

private:
    using debt_key = std::pair<unsigned, base::owner_id>; ///< node and owner
    using debt_map = std::map<debt_key, debt>;
    using time_index = std::set<std::pair<base::instant, debt_key>>;

    void insert(const debt_key& key, debt&& added);
    void erase(debt_map::iterator entry) noexcept;
    static void move(time_index& index, base::instant& present, base::instant changed,
                     const debt_key& key) noexcept;

    debt_map debts_;
    time_index by_next_;
    time_index by_until_;
};

/// The ticket of a withdraw_op or a release_op.
[[nodiscard]] const ticket& ticket_of(const op& request) noexcept;

} // namespace holdfast::engine::quorum
