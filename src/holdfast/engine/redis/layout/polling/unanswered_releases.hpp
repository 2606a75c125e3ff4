#pragma once
// Releases that were sent and not answered yet.

#include "holdfast/base/ids.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace holdfast::engine::redis {

/// Recognises a release that is sent again after its reply was lost: the reply `not held` then
/// means that the first request has released it.
///
/// Thread safety: none.
class unanswered_releases {
public:
    /// When there are more, all are forgotten.
    static constexpr std::size_t max_owners = 10'000;

    /// It is being sent. True: it was sent before, without an answer.
    bool add(const base::owner_id& owner) {
        const bool resent = std::erase(owners_, owner) > 0;
        if (owners_.size() >= max_owners) { owners_.clear(); }
        owners_.push_back(owner);
        return resent;
    }
    void answered(const base::owner_id& owner) { std::erase(owners_, owner); }

private:
    std::vector<base::owner_id> owners_;
};

} // namespace holdfast::engine::redis
