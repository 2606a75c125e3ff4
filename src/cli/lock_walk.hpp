#pragma once
// Walks over the locks of an engine, one page at a time.

#include "cli/lock_pattern.hpp"

#include <holdfast/admin.hpp>

#include <functional>
#include <string>
#include <vector>

namespace holdfast::cli {

class lock_walk {
public:
    /// Receives a page of locks; false ends the walk.
    using page_handler = std::function<bool(const std::vector<lock_info>&)>;

    /// No patterns: all locks.
    lock_walk(const client& client, const std::vector<std::string>& patterns);

    /// Inspects the names, if all patterns are names: this works in every layout. Otherwise lists
    /// the names with the patterns' common prefix and keeps those that match. Memory: a page. A
    /// lock that comes or goes meanwhile may be left out, and a Redis server that resizes its table
    /// may return one twice. Throws holdfast::error.
    void each_page(const page_handler& handler) const;

private:
    void inspect_names(const page_handler& handler) const;
    void list_matches(const page_handler& handler) const;

    admin admin_;
    std::vector<lock_pattern> patterns_{};
};

} // namespace holdfast::cli
