#pragma once
// Runs operations on the tables, inside a transaction that the caller begins and ends.

#include "holdfast/engine/admission/admission_rule.hpp"
#include "holdfast/engine/answers.hpp"
#include "holdfast/engine/embedded/death_watch.hpp"
#include "holdfast/engine/embedded/tables.hpp"
#include "holdfast/engine/ops.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::engine::embedded {

/// Whether the operation writes nothing, so that a read transaction suffices.
[[nodiscard]] bool only_reads(const op& operation) noexcept;

/// The store that the operations run on.
struct store_identity {
    const std::string& path;
    std::uint64_t node_id = 0; ///< see report::node_id
};

/// The operations of one transaction. Throws failure.
class operation_runner {
public:
    /// What the caller does after the commit.
    struct post_commit_work {
        std::vector<admission::push> pushes;
        std::vector<blocker> blockers;       ///< the holders that first waiters wait for
        std::vector<std::int64_t> used_rows; ///< rows that the sweeper must check later
    };

    operation_runner(tables& tables, const admission::moment& at,
                     const admission::client_process& process,
                     post_commit_work& post_commit) noexcept
        : tables_{tables}, at_{at}, process_{process}, post_commit_{post_commit} {}

    [[nodiscard]] answer run(const op& operation, const store_identity& store);

    /// Deletes the row if it is deletable. Returns when to check it again; empty: never.
    [[nodiscard]] std::optional<base::instant> delete_if_idle(std::int64_t id);
    /// How many rows were deleted.
    [[nodiscard]] std::int64_t deleted() const noexcept { return deleted_; }
    /// After the last `delete_if_idle`.
    void raise_mark();

private:
    [[nodiscard]] answer run(const acquire_op& operation);
    [[nodiscard]] answer run(const beat_op& operation);
    [[nodiscard]] answer run(const release_op& operation);
    [[nodiscard]] answer run(const withdraw_op& operation);
    [[nodiscard]] answer run(const break_op& operation);
    [[nodiscard]] answer run(const acquire_set_op& operation);
    [[nodiscard]] answer run(const release_set_op& operation);
    [[nodiscard]] answer run(const downgrade_op& operation);
    [[nodiscard]] answer run(const resize_op& operation);
    [[nodiscard]] answer run(const inspect_op& operation);
    [[nodiscard]] answer run(const list_op& operation);
    [[nodiscard]] answer run(const cell_op& operation);
    [[nodiscard]] answer diagnose(const std::string& path);

    /// Calls `act` with the admission rule of a name and stores the record if it has changed.
    template <typename Act>
    auto apply_rule(const std::string& name, Act&& act);
    void raise_to_mark(row& found);
    void store(row& found, const std::string& name);
    /// Adds to `post_commit_` the holders that a first waiter waits for, and the rows in use.
    void note(const answer& answer, const row& found);
    void note(const beat_answer& answer, const row& found) {
        note(answer.status, answer.ahead, found);
    }
    void note(op_status /*status*/, const row& /*found*/) noexcept {}
    void note(op_status status, unsigned ahead, const row& found);
    [[nodiscard]] lock_info describe(const std::string& name, row&& found);

    embedded::tables& tables_;
    const admission::moment& at_;
    const admission::client_process& process_;
    post_commit_work& post_commit_;
    std::int64_t deleted_ = 0;
    std::uint64_t highest_deleted_token_ = 0; ///< of the deleted rows
};

} // namespace holdfast::engine::embedded
