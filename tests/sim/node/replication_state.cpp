#include "sim/node/replication_state.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace holdfast::sim {

std::string replication_state::id() const {
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%08x%08llx%024d", server_ + 1,
                  static_cast<unsigned long long>(ids_), 0);
    return text.data();
}

void replication_state::note_change(const key_space& keys) {
    if (!enabled_ || is_replica_ || keys.all() == *version_.keys) { return; }
    version_ = {version_.offset + 1, std::make_shared<key_space::map>(keys.all())};
}

void replication_state::acknowledge(unsigned replica, std::uint64_t offset) {
    const auto found = acknowledged_.find(replica);
    if (found != acknowledged_.end()) { found->second = std::max(found->second, offset); }
}

std::int64_t replication_state::count(std::uint64_t offset) const noexcept {
    return std::count_if(acknowledged_.begin(), acknowledged_.end(),
                         [&](const auto& each) { return each.second >= offset; });
}

} // namespace holdfast::sim
