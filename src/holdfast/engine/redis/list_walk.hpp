#pragma once
// A list of the locks of all nodes of a cluster, node by node.

#include "holdfast/engine/redis/operations.hpp"
#include "holdfast/engine/redis/part_submitter.hpp"
#include "holdfast/engine/redis/topology/topology.hpp"

#include <string>

namespace holdfast::engine::redis {

/// Where a list goes on: a node, and its cursor there. Nodes come in the order of their addresses,
/// so a walk goes on when a node has left. As a text: `address/cursor`.
struct walk_cursor {
    std::string address{}; ///< empty: the first node
    std::string inner{};   ///< empty: the node's first page

    [[nodiscard]] static walk_cursor parse(const std::string& text);
    [[nodiscard]] std::string text() const { return address + '/' + inner; }
};

/// Asks the node that the cursor names for one page, and the next node if that one has no locks.
/// The operation is answered with a cursor that names the node of the next page.
void send_list_page(operation_ref whole, const list_op& op, topology& topology,
                    part_submitter& parts, base::instant give_up);

} // namespace holdfast::engine::redis
