#pragma once
// What this client holds on a quorum: which nodes may have its vote, and with what terms.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/ops.hpp"
#include "holdfast/engine/quorum/node_set.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

namespace holdfast::engine::quorum {

struct vote_record {
    node_set nodes;     ///< that may have a vote
    node_set confirmed; ///< that have said so
    node_set broken;    ///< that have said that the hold was broken there
    std::uint64_t token = 0;
    std::shared_ptr<const acquire_op> terms; ///< to make a lost vote again
    base::instant until{};                   ///< all votes have expired by then
};

/// By owner. Of other clients, whose holds an operator may renew or release, it has none: their
/// numbers are the same as this client's. A record that nobody renews or releases is dropped some
/// time after its votes have expired.
///
/// Thread safety: none.
class vote_book {
public:
    void put(std::uint64_t number, vote_record&& record, base::instant now) {
        if (records_.size() >= next_sweep_) {
            std::erase_if(records_, [now](const auto& each) { return each.second.until <= now; });
            next_sweep_ = 2 * records_.size() + first_sweep;
        }
        records_.insert_or_assign(number, std::move(record));
    }
    [[nodiscard]] vote_record* find(const base::owner_id& owner) {
        auto* const found = find_own(owner.number);
        return found != nullptr && found->terms->ticket.owner == owner ? found : nullptr;
    }
    /// By the number in a notice, which is always of this client.
    [[nodiscard]] vote_record* find_own(std::uint64_t number) {
        const auto found = records_.find(number);
        return found == records_.end() ? nullptr : &found->second;
    }
    [[nodiscard]] std::optional<vote_record> take(const base::owner_id& owner) {
        auto* const found = find(owner);
        if (found == nullptr) { return std::nullopt; }
        auto record = std::move(*found);
        records_.erase(owner.number);
        return record;
    }
    [[nodiscard]] std::size_t size() const noexcept { return records_.size(); }

private:
    static constexpr std::size_t first_sweep = 1000;

    std::unordered_map<std::uint64_t, vote_record> records_;
    std::size_t next_sweep_ = first_sweep;
};

} // namespace holdfast::engine::quorum
