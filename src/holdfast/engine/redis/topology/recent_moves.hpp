#pragma once
// The slots that nodes of a cluster have lately named another owner of (MOVED).

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/redis/topology/slot_map.hpp"

#include <algorithm>
#include <vector>

namespace holdfast::engine::redis {

/// A node that hears of a move late answers CLUSTER SLOTS with the former owner. The node that has
/// answered MOVED knows better, so its word counts for a while. If it is wrong by then, the owner
/// that it named answers MOVED as well.
///
/// Thread safety: none.
class recent_moves {
public:
    static constexpr base::milliseconds memory{10'000};

    void note(unsigned slot, slot_map::index master, base::instant now) {
        const auto known = std::find_if(moves_.begin(), moves_.end(),
                                        [&](const auto& each) { return each.slot == slot; });
        if (known == moves_.end()) {
            moves_.push_back({slot, master});
            until_.push_back(now + memory);
        } else {
            known->master = master;
            until_[static_cast<std::size_t>(known - moves_.begin())] = now + memory;
        }
    }
    /// Forgets the old ones, and those to masters that `is_down`: a replica may have taken over.
    template <typename IsDown>
    [[nodiscard]] const std::vector<slot_move>& present(base::instant now, IsDown is_down) {
        for (std::size_t at = moves_.size(); at-- > 0;) {
            if (now < until_[at] && !is_down(moves_[at].master)) { continue; }
            moves_[at] = moves_.back();
            until_[at] = until_.back();
            moves_.pop_back();
            until_.pop_back();
        }
        return moves_;
    }

private:
    std::vector<slot_move> moves_;
    std::vector<base::instant> until_; ///< of each
};

} // namespace holdfast::engine::redis
