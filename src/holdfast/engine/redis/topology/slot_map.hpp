#pragma once
// Which node of a cluster serves which slot; it has no I/O.

#include "holdfast/engine/redis/protocol/hash_slot.hpp"
#include "holdfast/engine/redis/protocol/reply.hpp"
#include "holdfast/engine/redis/server_list.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace holdfast::engine::redis {

/// Consecutive slots that one master serves.
struct slot_range {
    unsigned first = 0;
    unsigned last = 0;
    announced_address master{};
    bool operator==(const slot_range&) const = default;
};

/// The reply to CLUSTER SLOTS. `host` stands for a host that the server leaves out: its own. Empty:
/// it is not such a reply.
[[nodiscard]] std::optional<std::vector<slot_range>> read_slots(const reply& reply,
                                                                std::string_view host);

/// A slot, and the index of the master that has it now.
struct slot_move {
    unsigned slot = 0;
    std::uint16_t master = 0;
};

/// A table from slots to the indexes of masters. A master keeps its index as long as the map lives;
/// one without slots is out of use, and its index may be given to another.
///
/// Thread safety: none.
class slot_map {
public:
    using index = std::uint16_t;
    static constexpr index nobody = 0xffff;
    static constexpr std::size_t max_masters = 2'000;

    slot_map() { owners_.fill(nobody); }

    [[nodiscard]] index owner(unsigned slot) const noexcept { return owners_[slot]; }
    [[nodiscard]] const announced_address& address(index master) const noexcept {
        return masters_[master].address;
    }
    /// How many slots it serves.
    [[nodiscard]] unsigned slots_of(index master) const noexcept { return masters_[master].slots; }
    [[nodiscard]] std::size_t size() const noexcept { return masters_.size(); } ///< of indexes
    [[nodiscard]] unsigned covered() const noexcept { return covered_; } ///< slots with an owner
    [[nodiscard]] std::size_t masters() const noexcept;                  ///< with slots

    /// The index of a master, new or known; nobody: there are too many.
    [[nodiscard]] index find_or_add(const announced_address& address);
    /// The index of a known one.
    [[nodiscard]] index find(const announced_address& address) const noexcept;
    /// One slot has moved.
    void assign(unsigned slot, index master) noexcept;
    struct changes {
        bool moved = false;        ///< a slot went from one master to another
        bool contradicted = false; ///< the table has another owner for one of `moves`
    };
    /// The whole table anew, but for `moves`, which are known better.
    changes replace(const std::vector<slot_range>& ranges, std::span<const slot_move> moves = {});
    /// The n-th slot of a master, counting around. REQUIRES: it has slots.
    [[nodiscard]] unsigned slot_of(index master, unsigned nth) const noexcept;
    /// Keeps a master without slots from being replaced by another, as long as it is in use.
    void keep(index master, bool in_use) noexcept { masters_[master].kept = in_use; }

    /// The first master with slots from this address on, or after it, in the order of their texts;
    /// nobody: there is none.
    [[nodiscard]] index first_from(std::string_view address, bool after) const;

private:
    struct known_master {
        announced_address address{};
        unsigned slots = 0;
        bool kept = false;
    };

    std::array<index, slot_count> owners_{};
    std::vector<known_master> masters_;
    unsigned covered_ = 0;
};

} // namespace holdfast::engine::redis
