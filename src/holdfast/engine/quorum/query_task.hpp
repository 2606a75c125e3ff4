#pragma once
// Operations of operators: inspect, break and diagnose, on all nodes.

#include "holdfast/engine/quorum/task.hpp"

#include <string>
#include <vector>

namespace holdfast::engine::quorum {

/// Waits for all nodes, and answers if a majority did: what fewer say of a lock is not the truth.
///
/// Thread safety: none.
class query_task final : public task {
public:
    query_task(task_host& host, op_id id, const op& op, base::instant give_up);

    void start(base::instant now) override;
    void on_answer(unsigned node, unsigned tag, answer& answer, base::instant now) override;
    void on_give_up(base::instant now) override;

private:
    void conclude();
    [[nodiscard]] answer merged() const;
    [[nodiscard]] answer too_few() const;

    task_host& host_;
    op request_;
    node_set missing_;
    std::vector<answer> answers_;
    std::string failures_;
    bool may_have_happened_ = false; ///< a node has done it, or its reply was lost
};

} // namespace holdfast::engine::quorum
