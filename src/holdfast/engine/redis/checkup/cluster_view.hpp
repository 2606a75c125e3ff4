#pragma once
// A cluster as one of its nodes sees it; it has no I/O.

#include "holdfast/engine/redis/server_list.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::engine::redis {

/// A line of CLUSTER NODES.
struct cluster_member {
    std::string id{};
    announced_address address{};
    bool is_master = false;
    bool failed = false;    ///< most masters say so
    bool suspected = false; ///< this node says so, or has no link to it
    std::string master{};   ///< the id of its master
    unsigned slots = 0;
    unsigned open_slots = 0; ///< being moved
};

struct cluster_view {
    std::string state{};  ///< ok, fail
    unsigned covered = 0; ///< slots that have a master
    std::vector<cluster_member> members{};
};

/// `info` and `nodes` are the texts of CLUSTER INFO and CLUSTER NODES. Skips lines that are not
/// understood. `host` stands for a host that the node leaves out: its own.
[[nodiscard]] cluster_view read_cluster(std::string_view info, std::string_view nodes,
                                        std::string_view host);

} // namespace holdfast::engine::redis
