#pragma once
// What an engine keeps of one cell, and the rule by which a cell_op changes it. On Redis the same
// rule is cell.lua.

#include "holdfast/engine/admission/admission_rule.hpp"
#include "holdfast/engine/answers.hpp"
#include "holdfast/engine/ops.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::engine::admission {

/// How many tickets watch a cell at once; further ones only poll.
inline constexpr std::size_t max_watchers = 1'000;

/// Instants are microseconds of the wall clock: a cell outlives a reboot.
struct cell {
    struct watcher {
        base::owner_id owner;
        std::int64_t alive_until_us = 0;
    };
    static constexpr std::int64_t never_us = std::numeric_limits<std::int64_t>::max();

    std::uint64_t birth = 0; ///< 0: it has watchers only, or was erased lately with this token
    std::uint64_t token = 0;
    std::uint64_t order = 0;
    std::uint64_t phase = 0;
    unsigned arrived = 0;
    unsigned expected = 0;
    std::string value;
    std::int64_t expires_us = never_us;
    std::map<std::string, unsigned> members;      ///< who has arrived in this phase: the weights
    std::map<std::string, unsigned> last_members; ///< the same of the phase before, if cyclic
    std::vector<watcher> watchers;
};

/// The answer to an operation that is invalid whatever the cell has; empty if it is valid.
[[nodiscard]] std::optional<answer> reject_invalid(const cell_op& operation);

/// Applies operations to one cell, inside the lock or transaction that guards it. Notices are added
/// to `out`, to be sent after the commit.
class cell_rule {
public:
    cell_rule(cell& cell, const moment& at, std::vector<push>& out);

    [[nodiscard]] answer apply(const cell_op& operation);

    /// Nobody needs the cell any more.
    [[nodiscard]] bool is_deletable() const noexcept;

private:
    [[nodiscard]] std::optional<answer> arrive(const cell_op& operation);
    void complete_phase(bool cyclic);
    void count(const cell_op& operation);
    void write(const cell_op& operation);
    void erase(const cell_op& operation);
    void watch(const base::owner_id& owner);
    void keep(const cell_op& operation);
    void notify();
    void drop_dead_watchers();
    [[nodiscard]] bool is_outdated(const cell_op& operation) const noexcept;

    cell& cell_;
    const moment& at_;
    std::vector<push>& out_;
    bool applied_ = false;
    std::uint64_t counted_in_ = 0;
};

} // namespace holdfast::engine::admission
