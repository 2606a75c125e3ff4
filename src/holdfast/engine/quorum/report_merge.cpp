#include "holdfast/engine/quorum/report_merge.hpp"

#include "holdfast/engine/quorum/node_set.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <vector>

namespace holdfast::engine::quorum {

lock_info merge(std::span<const lock_info> reports, unsigned nodes) {
    lock_info out;
    std::map<std::string, std::vector<const party*>> votes;
    std::vector<std::uint64_t> tokens;
    for (const auto& report : reports) {
        out.name = report.name;
        if (!report.holders.empty()) { out.kind = report.kind; }
        tokens.push_back(report.last_token);
        for (const auto& holder : report.holders) { votes[holder.owner].push_back(&holder); }
    }
    const auto majority = majority_of(nodes);
    for (auto& [owner, each] : votes) {
        if (each.size() < majority) { continue; }
        std::sort(each.begin(), each.end(),
                  [](const party* a, const party* b) { return a->remaining > b->remaining; });
        party holder = *each[majority - 1];
        for (const auto* const vote : each) {
            holder.token = std::max(holder.token, vote->token);
            holder.since = std::min(holder.since, vote->since);
            holder.age = std::max(holder.age, vote->age);
        }
        out.last_token = std::max(out.last_token, holder.token);
        out.holders.push_back(std::move(holder));
    }
    if (out.holders.empty() && tokens.size() >= majority) {
        std::sort(tokens.begin(), tokens.end(), std::greater<>{});
        out.last_token = tokens[majority - 1]; // higher ones are of proposals that lost
    }
    return out;
}

} // namespace holdfast::engine::quorum
