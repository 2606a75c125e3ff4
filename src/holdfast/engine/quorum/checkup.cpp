#include "holdfast/engine/quorum/checkup.hpp"

#include "holdfast/engine/quorum/options.hpp"
#include "holdfast/engine/quorum/quorum.hpp"

#include <set>
#include <string>

namespace holdfast::engine::quorum {

namespace {

constexpr const char* all_nodes = "all nodes";

/// The machine that a node is on, without user and port; a file or memory is on this one.
std::string machine_of(const url& node) {
    auto host = node.authority.substr(node.authority.rfind('@') + 1);
    if (host.ends_with(']')) { return host; }
    return host.substr(0, host.rfind(':'));
}

} // namespace

void judge_nodes(const std::vector<url>& nodes, std::size_t usable, checkup& out) {
    const auto count = nodes.size();
    const auto majority = count / 2 + 1;
    const auto text = std::to_string(usable) + " of " + std::to_string(count) +
                      " nodes can serve, and a majority is " + std::to_string(majority);
    if (usable < majority) {
        out.danger("quorum", all_nodes, text + ": nobody can acquire a lock",
                   "start the missing nodes, or correct their addresses and passwords");
    } else if (usable == majority && usable < count) {
        out.warn("quorum", all_nodes, text + ": if one more fails, nobody can acquire a lock",
                 "start the missing nodes");
    } else {
        out.ok("quorum", all_nodes, text);
    }
    if (count < 3 || count % 2 == 0) {
        out.warn("quorum-size", all_nodes,
                 std::to_string(count) + " nodes survive the loss of " +
                     std::to_string(count - majority) + ", no more than " +
                     std::to_string(count < 3 ? 1 : count - 1) + " nodes would",
                 "use three or five nodes");
    }
    std::set<std::string> machines;
    for (const auto& node : nodes) { machines.insert(machine_of(node)); }
    if (machines.size() < count) {
        out.warn("quorum-machines", all_nodes,
                 "some nodes are on the same machine and fail together",
                 "put each node on a machine of its own");
    }
}

checkup check_up(const url& url, const checkup_terms& terms) {
    checkup out;
    const auto nodes = node_urls(url);
    auto node_terms = terms;
    node_terms.quorum_node = true;
    std::size_t usable = 0;
    for (const auto& node : nodes) {
        auto found = holdfast::engine::check_up(node, node_terms);
        if (found.usable) { ++usable; }
        out.append(std::move(found));
    }
    judge_nodes(nodes, usable, out);
    judge_clocks(out.clocks, clock_use::votes, out);
    if (!quorum_settings::from(url).rejoin_delay) {
        out.warn("rejoin", all_nodes,
                 "rejoin_delay=no: a node that loses its data votes at once, maybe a second time "
                 "for a lock that is held",
                 "remove rejoin_delay=no from the URL");
    }
    out.usable = usable > nodes.size() / 2;
    return out;
}

} // namespace holdfast::engine::quorum
