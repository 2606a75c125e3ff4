#pragma once
// What each operation does to the tables, inside a transaction that its caller begins and ends.

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

/// Only looks, so a reading transaction will do.
[[nodiscard]] bool only_reads(const op& operation) noexcept;

/// The operations of one transaction. Throws failure.
class work {
public:
    /// What is to be done after the commit.
    struct afterwards {
        std::vector<admission::push> pushes;
        std::vector<blocker> blockers;  ///< whom waiters that are first in their queue wait for
        std::vector<std::int64_t> used; ///< rows that were asked for, and may be idle some day
    };

    work(tables& on, const admission::moment& at, const admission::place& from,
         afterwards& then) noexcept
        : on_{on}, at_{at}, from_{from}, then_{then} {}

    [[nodiscard]] answer run(const op& operation, const std::string& path);

    /// Forgets the name in this row if it was idle for long enough. Says when to look again; empty:
    /// there is nothing to look at any more.
    [[nodiscard]] std::optional<base::instant> look_after(std::int64_t id);
    /// How many were.
    [[nodiscard]] std::int64_t forgotten() const noexcept { return forgotten_; }
    /// After the last of these.
    void raise_mark();

private:
    [[nodiscard]] answer run(const acquire_op& operation);
    [[nodiscard]] answer run(const beat_op& operation);
    [[nodiscard]] answer run(const release_op& operation);
    [[nodiscard]] answer run(const withdraw_op& operation);
    [[nodiscard]] answer run(const break_op& operation);
    [[nodiscard]] answer run(const inspect_op& operation);
    [[nodiscard]] answer run(const list_op& operation);
    [[nodiscard]] answer diagnose(const std::string& path);

    /// Lets `judge` use the gate of a name and stores what changed.
    template <typename Judge>
    auto judged(const std::string& name, Judge&& judge);
    /// Notes who is in the way of a waiter, and which rows are used.
    void note(const answer& answer, const row& found);
    void note(const beat_answer& answer, const row& found) {
        note(answer.status, answer.ahead, found);
    }
    void note(op_status /*said*/, const row& /*found*/) noexcept {}
    void note(op_status status, unsigned ahead, const row& found);
    [[nodiscard]] lock_info look(const std::string& name, row&& found);

    tables& on_;
    const admission::moment& at_;
    const admission::place& from_;
    afterwards& then_;
    std::int64_t forgotten_ = 0;
    std::uint64_t forgotten_token_ = 0; ///< the highest of the names that were forgotten
};

} // namespace holdfast::engine::embedded
