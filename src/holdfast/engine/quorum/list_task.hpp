#pragma once
// A page of a list of a quorum's locks.

#include "holdfast/engine/quorum/task.hpp"

#include <string>
#include <vector>

namespace holdfast::engine::quorum {

/// Walks the nodes one after the other: a page of names of one node, each of which is then
/// inspected on all nodes. A name is listed if a majority has its holder, and if no earlier page
/// has listed it. The cursor is `<walk>.<node>:<the node's cursor>`. A node that does not answer is
/// left out: what a majority holds is also on the others.
///
/// Thread safety: none.
class list_task final : public task {
public:
    list_task(task_host& host, op_id id, const list_op& op, base::instant give_up);

    void start(base::instant now) override;
    void on_answer(unsigned node, unsigned tag, answer& answer, base::instant now) override;
    void on_give_up(base::instant now) override;

private:
    enum tags : unsigned { page, inspection }; ///< of an inspection: plus the index of its entry

    void ask_page(base::instant now);
    void inspect_each(const report& names, base::instant now);
    void conclude(base::instant now);
    void ask_next_page(base::instant now);
    void fail(const std::string& detail);

    task_host& host_;
    list_op request_;
    unsigned node_ = 0;
    unsigned silent_ = 0; ///< nodes that have not answered
    std::string next_;    ///< the node's cursor after this page
    unsigned walk_ = 0;
    std::vector<std::vector<lock_info>> reports_; ///< the nodes' reports of each name of this page
    unsigned missing_ = 0;
};

} // namespace holdfast::engine::quorum
