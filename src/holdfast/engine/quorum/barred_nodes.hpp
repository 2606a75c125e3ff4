#pragma once
// Nodes that a ticket must not ask again, because an earlier withdrawal of it may still arrive.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/quorum/node_set.hpp"

#include <cstdint>
#include <unordered_map>

namespace holdfast::engine::quorum {

/// In layouts that others share, a withdrawal has no not-after: one that was lost with its
/// connection could arrive late and delete a vote that the same ticket got later. The native layout
/// needs none of this: its server refuses a late withdrawal.
///
/// Thread safety: none.
class barred_nodes {
public:
    /// A kernel retransmits the data of a closed socket for about 100 s.
    static constexpr base::milliseconds longest_delay{120'000};

    void add(std::uint64_t number, unsigned node, base::instant now) {
        std::erase_if(tickets_, [now](const auto& each) { return each.second.until <= now; });
        auto& entry = tickets_[number];
        entry.nodes.add(node);
        entry.until = now + longest_delay;
    }
    [[nodiscard]] bool has(std::uint64_t number, unsigned node, base::instant now) const noexcept {
        if (tickets_.empty()) { return false; }
        const auto found = tickets_.find(number);
        return found != tickets_.end() && found->second.until > now &&
               found->second.nodes.has(node);
    }
    void remove(std::uint64_t number) noexcept { tickets_.erase(number); }

private:
    struct barred_ticket {
        node_set nodes;
        base::instant until{};
    };
    std::unordered_map<std::uint64_t, barred_ticket> tickets_;
};

} // namespace holdfast::engine::quorum
