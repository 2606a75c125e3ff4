#pragma once
// Examines the nodes of a quorum.

#include "holdfast/engine/checkup.hpp"

namespace holdfast::engine::quorum {

[[nodiscard]] checkup check_up(const url& url, const checkup_terms& terms);

/// Judges the set of nodes: how many there are, and how many can serve. `usable` is theirs.
void judge_nodes(const std::vector<url>& nodes, std::size_t usable, checkup& out);

} // namespace holdfast::engine::quorum
