#include "cli/lock_walk.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::cli {

namespace {

/// On Redis: the names of one SCAN, and the inspections that follow it in one batch. The server
/// serves others between two batches.
constexpr unsigned page_size = 500;

} // namespace

lock_walk::lock_walk(const client& client, const std::vector<std::string>& patterns)
    : admin_{client} {
    for (const auto& text : patterns) { patterns_.emplace_back(text); }
}

void lock_walk::each_page(const page_handler& handler) const {
    const bool all_names =
        !patterns_.empty() && std::all_of(patterns_.begin(), patterns_.end(),
                                          [](const auto& each) { return each.is_name(); });
    if (all_names) { return inspect_names(handler); }
    list_matches(handler);
}

void lock_walk::inspect_names(const page_handler& handler) const {
    for (const auto& pattern : patterns_) {
        const auto found = admin_.inspect(pattern.prefix());
        if (found && !handler({*found})) { return; }
    }
}

void lock_walk::list_matches(const page_handler& handler) const {
    list_options options{.prefix = common_prefix(patterns_), .count = page_size};
    do {
        auto page = admin_.list(options);
        std::erase_if(page.locks, [this](const lock_info& lock) {
            return !patterns_.empty() &&
                   std::none_of(patterns_.begin(), patterns_.end(),
                                [&](const auto& each) { return each.matches(lock.name); });
        });
        if (!handler(page.locks)) { return; }
        options.cursor = std::move(page.cursor);
    } while (!options.cursor.empty());
}

} // namespace holdfast::cli
