#pragma once
// A release or a final withdrawal: takes back the votes of all nodes.

#include "holdfast/engine/quorum/tally.hpp"
#include "holdfast/engine/quorum/task.hpp"

namespace holdfast::engine::quorum {

/// Answers as soon as a majority has given the votes back, unless nobody waits for the answer. What
/// a node does not confirm becomes a debt.
///
/// Thread safety: none.
class release_task final : public task {
public:
    /// `op` is a release_op or a withdraw_op.
    release_task(task_host& host, op_id id, const op& op, base::instant give_up);

    void start(base::instant now) override;
    void on_answer(unsigned node, unsigned tag, answer& answer, base::instant now) override;
    void on_give_up(base::instant now) override;

private:
    [[nodiscard]] const ticket& released() const noexcept { return ticket_of(request_); }
    [[nodiscard]] op request_to(unsigned node) const;
    void owe(unsigned node, base::instant now);
    void conclude(base::instant now);

    task_host& host_;
    op request_;
    node_set asked_;
    node_set unconfirmed_; ///< of `asked_`: an acquire may still be on its way to them
    release_tally tally_{0, {}};
    base::instant votes_until_{};
};

} // namespace holdfast::engine::quorum
