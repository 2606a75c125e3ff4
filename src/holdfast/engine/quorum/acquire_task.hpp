#pragma once
// An acquire: runs a ballot over the nodes.

#include "holdfast/engine/quorum/ballot.hpp"
#include "holdfast/engine/quorum/task.hpp"

#include <array>
#include <string>

namespace holdfast::engine::quorum {

/// Asks all nodes that may vote at the same time and answers as soon as the ballot is decided; the
/// answers that come later are only noted. Whatever it does not win it withdraws, also where the
/// acquire is still on its way.
///
/// Thread safety: none.
class acquire_task final : public task {
public:
    acquire_task(task_host& host, op_id id, const acquire_op& op, base::instant give_up);

    void start(base::instant now) override;
    void on_answer(unsigned node, unsigned tag, answer& answer, base::instant now) override;
    void on_node_changed(unsigned node, base::instant now) override;
    [[nodiscard]] bool waits_for_nodes() const noexcept override { return !joining_.empty(); }
    void on_give_up(base::instant now) override;
    void on_cancel(base::instant now) override;
    [[nodiscard]] bool may_hold(unsigned node) const noexcept override {
        return ballot_.may_hold(node);
    }
    [[nodiscard]] const ticket* acquires() const noexcept override {
        return is_open() ? &request().ticket : nullptr;
    }

private:
    static constexpr unsigned withdrawal_tag = 0xff; ///< not a round of the ballot

    [[nodiscard]] const acquire_op& request() const noexcept {
        return std::get<acquire_op>(request_);
    }
    void consider(unsigned node, base::instant now);
    void add_vote(unsigned node, base::instant now);
    void send(unsigned node, base::instant now);
    void on_vote(unsigned node, unsigned round, answer& answer, base::instant now);
    void judge(base::instant now);
    void grant(base::instant now);
    void refuse(verdict verdict, base::instant now);
    void reject_defect(base::instant now);
    void give_back_earlier_votes(base::instant now);
    void withdraw_all(bool asks_again, base::instant now);
    void on_withdrawn(unsigned node, const answer& answer, base::instant now);
    [[nodiscard]] std::uint64_t token() const noexcept {
        return proposes_ ? ballot_.proposal() : ballot_.highest();
    }
    [[nodiscard]] base::instant votes_until(base::instant now) const noexcept;
    [[nodiscard]] std::string describe_votes(base::instant now) const;

    task_host& host_;
    op request_; ///< as it is sent to the nodes
    queueing queue_;
    base::instant not_after_; ///< the caller's
    bool proposes_;           ///< a token; readers share that of the last writer
    ballot ballot_;
    base::milliseconds timeout_;
    base::instant last_sent_{};
    unsigned late_refusals_ = 0;
    bool ticket_ended_ = false; ///< a waiter's, as at least one node knows
    unsigned other_kinds_ = 0;  ///< nodes where the name is in use as another kind of lock
    std::string other_kind_;    ///< and what the last of them says
    node_set joining_;          ///< to be asked when they have joined
    withdraw_op withdrawal_{};
    std::array<std::string, max_nodes> details_; ///< what went wrong, by node
};

} // namespace holdfast::engine::quorum
