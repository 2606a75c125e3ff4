#pragma once
// Operations on one node that no caller waits for: joins and debts.

#include "holdfast/engine/quorum/task.hpp"

#include <utility>

namespace holdfast::engine::quorum {

/// Makes a node known, or finds out that it cannot be reached.
class join_task final : public task {
public:
    join_task(task_host& host, unsigned node, const join_op& request)
        : task{0, base::never}, host_{host}, node_{node}, request_{request} {
        mark_completed();
    }

    void start(base::instant now) override {
        host_.ask(*this, node_, 0, request_, base::later(now, host_.attempt()), now);
    }
    void on_answer(unsigned node, unsigned /*tag*/, answer& answer, base::instant now) override {
        host_.nodes.on_join_answer(node, answer, now);
        host_.on_node_changed(node, now);
    }
    void on_give_up(base::instant /*now*/) override {}

private:
    task_host& host_;
    unsigned node_;
    op request_;
};

/// A withdrawal or a release that is sent again.
class debt_task final : public task {
public:
    debt_task(task_host& host, debts::debt&& debt)
        : task{0, base::never}, host_{host}, debt_{std::move(debt)} {
        mark_completed();
    }

    void start(base::instant now) override {
        host_.ask(*this, debt_.node, 0, debt_.request, base::later(now, host_.attempt()), now);
    }
    void on_answer(unsigned node, unsigned /*tag*/, answer& answer, base::instant now) override {
        if (!is_definite(answer)) { host_.owe(node, debt_.request, debt_.until, now); }
    }
    void on_give_up(base::instant /*now*/) override {}

private:
    task_host& host_;
    debts::debt debt_;
};

} // namespace holdfast::engine::quorum
