#pragma once
// Looks after idle names: which rows to look at, and when, so that a released lock leaves nothing
// behind (P8).

#include "holdfast/base/clock.hpp"
#include "holdfast/base/fd.hpp"
#include "holdfast/base/random.hpp"
#include "holdfast/engine/embedded/tables.hpp"
#include "holdfast/engine/embedded/operation_runner.hpp"

#include <cstdint>
#include <functional>
#include <poll.h>
#include <queue>
#include <span>
#include <unordered_set>
#include <vector>

namespace holdfast::engine::embedded {

/// A client remembers the rows that it has used and looks at each when it can have become idle, so
/// that the file needs no index by age, which every operation would have to keep. What clients that
/// are gone have left is found by samples, and by more of them where they find much.
class sweeper {
public:
    explicit sweeper(std::uint64_t seed) : random_{seed} {}

    /// A row that this client uses.
    void add(std::int64_t id, base::instant now);
    /// When `sweep` has something to do though nobody uses the file; never: nothing.
    [[nodiscard]] base::instant due() const noexcept;
    /// For whoever has just used the file: whether it is time for a sample, or for what nobody has
    /// done though it was due.
    [[nodiscard]] bool wanted(base::instant now) const noexcept;

    /// A bounded number of rows, inside a transaction. Throws failure.
    void sweep(work& doing, tables& on, const admission::moment& at);
    /// After the commit.
    void committed();
    /// It did not happen: try again after `pause`.
    void put_off(base::instant now, base::duration pause);

    /// A timer for `due`, so that an idle client sweeps too.
    void pollables(std::vector<pollfd>& out) const;
    void hear(std::span<const pollfd> ready);
    /// In a child of fork(): it is the parent's.
    void drop() noexcept { alarm_.reset(); }

private:
    struct look {
        base::instant due{};
        std::int64_t id = 0;
        bool gone = false;
        bool operator>(const look& other) const noexcept { return due > other.due; }
    };
    void look_at(work& doing, look& row);
    [[nodiscard]] static std::vector<std::int64_t> pick(tables& on, std::int64_t after,
                                                        std::int64_t most);
    void sample(work& doing, tables& on, base::instant now);
    void arm();

    base::jitter random_;
    std::priority_queue<look, std::vector<look>, std::greater<>> looks_;
    std::unordered_set<std::int64_t> remembered_; ///< the rows in `looks_` and `batch_`
    std::vector<look> batch_; ///< taken from `looks_` by the transaction under way
    base::instant rests_until_{};

    base::instant next_sample_{};
    bool following_ = false; ///< the last sample has found much: go on behind `sampled_to_`
    std::int64_t sampled_to_ = 0;

    base::fd alarm_;
    base::instant armed_ = base::never;
};

} // namespace holdfast::engine::embedded
