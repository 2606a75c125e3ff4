#pragma once
// A batch of heartbeats: renews holds by a majority of the nodes.

#include "holdfast/engine/quorum/tally.hpp"
#include "holdfast/engine/quorum/task.hpp"

#include <vector>

namespace holdfast::engine::quorum {

/// Sends the batch to every node and answers when each item is decided. After a majority has
/// renewed a hold, the nodes that have lost its vote are asked to make it again. Of a hold that is
/// lost, the votes that are left are given back.
///
/// The waiters of a quorum are not in a queue: their beats are answered `lost` at once, which means
/// that they ask again.
///
/// Thread safety: none.
class beat_task final : public task {
public:
    beat_task(task_host& host, op_id id, const beat_op& op, base::instant give_up);

    void start(base::instant now) override;
    void on_answer(unsigned node, unsigned tag, answer& answer, base::instant now) override;
    void on_give_up(base::instant now) override;

private:
    enum tags : unsigned { renewal, reclaim, vote };

    void conclude(base::instant now);
    void reclaim_from(unsigned node, base::instant now);
    void note_renewed(base::instant now);

    task_host& host_;
    beat_op all_;                        ///< as the caller sent it
    op renewals_;                        ///< a beat_op: the items of holders only
    std::vector<renewal_tally> tallies_; ///< one per item of `renewals_`
    base::instant started_{};
};

} // namespace holdfast::engine::quorum
