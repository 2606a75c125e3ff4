#pragma once
// The terms of this client's holds, by which a server that has lost one can make it again.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/ops.hpp"

#include <cstdint>
#include <memory>
#include <unordered_map>

namespace holdfast::engine::redis {

/// By owner, from the acquire to the release; other clients' holds, which an operator may renew or
/// release, have the same numbers. A hold that is lost leaves its entry: it is
/// dropped some time after its last renewal.
///
/// Thread safety: none.
class reclaim_book {
public:
    /// `max_lease` is the longest that a hold lives without a renewal.
    explicit reclaim_book(base::milliseconds max_lease) noexcept : max_lease_{max_lease} {}

    void put(const acquire_op& op, base::instant now) {
        if (entries_.size() >= next_sweep_) { sweep(now); }
        auto terms = std::make_shared<acquire_op>(op);
        terms->not_after = base::never;
        entries_.insert_or_assign(op.ticket.owner.number, entry{std::move(terms), now});
    }
    /// Null: it has none. The terms of a hold that is being renewed.
    [[nodiscard]] std::shared_ptr<const acquire_op> use(const base::owner_id& owner,
                                                        base::instant now) {
        const auto found = entries_.find(owner.number);
        if (found == entries_.end() || !is_of(found->second, owner)) { return nullptr; }
        found->second.used = now;
        return found->second.terms;
    }
    /// It is a reader's hold by now.
    void downgrade(const base::owner_id& owner) {
        const auto found = entries_.find(owner.number);
        if (found == entries_.end() || !is_of(found->second, owner)) { return; }
        auto terms = std::make_shared<acquire_op>(*found->second.terms);
        terms->mode = mode::shared;
        found->second.terms = std::move(terms);
    }
    void remove(const base::owner_id& owner) noexcept {
        const auto found = entries_.find(owner.number);
        if (found != entries_.end() && is_of(found->second, owner)) { entries_.erase(found); }
    }
    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

private:
    static constexpr std::size_t first_sweep = 1000;

    struct entry {
        std::shared_ptr<const acquire_op> terms;
        base::instant used{};
    };

    [[nodiscard]] static bool is_of(const entry& entry, const base::owner_id& owner) noexcept {
        return entry.terms->ticket.owner == owner;
    }
    void sweep(base::instant now) {
        std::erase_if(entries_,
                      [&](const auto& each) { return now - each.second.used > 2 * max_lease_; });
        next_sweep_ = 2 * entries_.size() + first_sweep;
    }

    base::milliseconds max_lease_;
    std::unordered_map<std::uint64_t, entry> entries_;
    std::size_t next_sweep_ = first_sweep;
};

} // namespace holdfast::engine::redis
