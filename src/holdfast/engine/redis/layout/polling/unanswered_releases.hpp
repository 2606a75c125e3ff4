#pragma once
// Releases that were sent and not answered yet.

#include "holdfast/base/ids.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace holdfast::engine::redis {

/// Tells a release that is sent again, after its answer was lost, from the first: `not held` then
/// means that the first one did it.
///
/// Thread safety: none.
class unanswered_releases {
public:
    /// So many are kept; all are forgotten then.
    static constexpr std::size_t most = 10'000;

    /// It is being sent. True: it was sent before, without an answer.
    bool add(const base::owner_id& owner) {
        const bool resent = std::erase(owners_, owner) > 0;
        if (owners_.size() >= most) { owners_.clear(); }
        owners_.push_back(owner);
        return resent;
    }
    void answered(const base::owner_id& owner) { std::erase(owners_, owner); }

private:
    std::vector<base::owner_id> owners_;
};

} // namespace holdfast::engine::redis
