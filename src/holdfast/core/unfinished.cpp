#include "holdfast/core/unfinished.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

namespace holdfast::core {

void unfinished::set(const std::string& name, drive::participant& owner,
                     bool is_unfinished) noexcept {
    if (by_name_.empty() && !is_unfinished) { return; }
    const auto [first, last] = by_name_.equal_range(name);
    const auto found =
        std::find_if(first, last, [&](const auto& entry) { return entry.second == &owner; });
    if (is_unfinished && found == last) {
        try {
            by_name_.emplace(name, &owner);
        } catch (const std::bad_alloc&) { // NOLINT(bugprone-empty-catch): sent after its pause
        }
    }
    if (!is_unfinished && found != last) { by_name_.erase(found); }
}

void unfinished::send_all(const std::string& name, base::instant now) noexcept {
    if (by_name_.empty()) { return; }
    std::vector<std::shared_ptr<drive::participant>> owners; // they change the map when they send
    const auto [first, last] = by_name_.equal_range(name);
    try {
        std::for_each(first, last, [&](const auto& entry) {
            owners.push_back(entry.second->shared_from_this());
        });
    } catch (const std::bad_alloc&) { return; }
    for (const auto& owner : owners) { owner->on_hurry(now); }
}

} // namespace holdfast::core
