#pragma once
// The names that the pages of a list have shown already.

#include <map>
#include <string>
#include <unordered_set>

namespace holdfast::engine::quorum {

/// A walk goes over all nodes, and most names are on all of them. A name may be listed twice if
/// newer walks have displaced the memory of its walk.
///
/// Thread safety: none.
class list_walks {
public:
    static constexpr std::size_t max_walks = 4;

    [[nodiscard]] unsigned begin() {
        walks_[++last_];
        if (walks_.size() > max_walks) { walks_.erase(walks_.begin()); }
        return last_;
    }
    /// False: the walk has shown it before.
    [[nodiscard]] bool add(unsigned walk, const std::string& name) {
        const auto found = walks_.find(walk);
        return found == walks_.end() || found->second.insert(name).second;
    }
    void end(unsigned walk) { walks_.erase(walk); }

private:
    std::map<unsigned, std::unordered_set<std::string>> walks_;
    unsigned last_ = 0;
};

} // namespace holdfast::engine::quorum
