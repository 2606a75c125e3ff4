#pragma once
// The sweeper: which rows to check, and when, so that idle rows are deleted (P8).

#include "holdfast/base/clock.hpp"
#include "holdfast/base/fd.hpp"
#include "holdfast/base/random.hpp"
#include "holdfast/engine/embedded/operation_runner.hpp"
#include "holdfast/engine/embedded/tables.hpp"

#include <cstdint>
#include <functional>
#include <poll.h>
#include <queue>
#include <span>
#include <unordered_set>
#include <vector>

namespace holdfast::engine::embedded {

/// A client remembers the rows that it has used and checks each when it may have become deletable.
/// So the file needs no index by age, which every operation would have to update. Random samples
/// find the rows that ended clients have left; a sample with many idle rows is followed by another.
class sweeper {
public:
    explicit sweeper(std::uint64_t seed) : random_{seed} {}

    /// A row that this client uses.
    void add(std::int64_t id, base::instant now);
    /// When `sweep` has something to do without an operation; never: nothing.
    [[nodiscard]] base::instant due() const noexcept;
    /// After an operation: whether a sample is due, or a check is overdue.
    [[nodiscard]] bool should_sweep(base::instant now) const noexcept;

    /// Checks a bounded number of rows, inside a transaction. Throws failure.
    void sweep(operation_runner& runner, tables& tables, const admission::moment& at);
    /// After the commit.
    void committed();
    /// The transaction failed: try again after `pause`.
    void postpone(base::instant now, base::duration pause);

    /// A timer for `due`, so that an idle client sweeps too.
    void pollables(std::vector<pollfd>& out) const;
    void on_ready(std::span<const pollfd> ready);
    /// In a child of fork(): closes the copy of the parent's timer.
    void drop() noexcept { timer_.reset(); }

private:
    struct row_check {
        base::instant due{};
        std::int64_t id = 0;
        bool deleted = false;
        bool operator>(const row_check& other) const noexcept { return due > other.due; }
    };
    void check_row(operation_runner& runner, row_check& row);
    [[nodiscard]] static std::vector<std::int64_t> pick(tables& tables, std::int64_t after,
                                                        std::int64_t max);
    void sample(operation_runner& runner, tables& tables, base::instant now);
    void arm();

    base::jitter random_;
    std::priority_queue<row_check, std::vector<row_check>, std::greater<>> idle_checks_;
    std::unordered_set<std::int64_t> known_rows_; ///< the rows in `idle_checks_` and `batch_`
    std::vector<row_check> batch_; ///< taken from `idle_checks_` by the open transaction
    base::instant not_before_{};

    base::instant next_sample_{};
    bool continue_sampling_ =
        false; ///< the last sample found many idle rows: continue after `last_sampled_`
    std::int64_t last_sampled_ = 0;

    base::fd timer_;
    base::instant armed_ = base::never;
};

} // namespace holdfast::engine::embedded
