#pragma once
// One operation of a quorum: it asks nodes, and answers once.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/answers.hpp"
#include "holdfast/engine/ops.hpp"
#include "holdfast/engine/quorum/barred_nodes.hpp"
#include "holdfast/engine/quorum/debts.hpp"
#include "holdfast/engine/quorum/hints.hpp"
#include "holdfast/engine/quorum/list_walks.hpp"
#include "holdfast/engine/quorum/membership.hpp"
#include "holdfast/engine/quorum/options.hpp"
#include "holdfast/engine/quorum/vote_book.hpp"

#include <holdfast/error.hpp>

namespace holdfast::engine::quorum {

class task;

/// What tasks share: the engine implements it.
class task_host {
public:
    task_host(const task_host&) = delete;
    task_host& operator=(const task_host&) = delete;

    /// Sends an operation to a node. The answer goes to the task, with `tag`.
    virtual void ask(task& task, unsigned node, unsigned tag, const op& operation,
                     base::instant give_up, base::instant now) = 0;
    /// Sends joins that are due, to nodes that must join before they are asked for votes.
    virtual void join(base::instant now) = 0;
    /// A node has joined, or cannot: tasks that wait for it go on.
    virtual void on_node_changed(unsigned node, base::instant now) = 0;
    /// How long an attempt to reach a node may take.
    [[nodiscard]] virtual base::milliseconds attempt() const = 0;
    /// Answers the task's operation, once.
    virtual void complete(task& task, answer&& answer) = 0;
    /// Ends acquires of a ticket that are not decided yet.
    virtual void abort_acquires(const ticket& ticket, base::instant now) = 0;
    /// A withdrawal or release was not confirmed: it is sent again, unless its ticket has asked
    /// that node again meanwhile, or holds the lock.
    virtual void owe(unsigned node, const op& request, base::instant until, base::instant now) = 0;
    /// Asks the holder with this number to renew.
    virtual void renew_soon(std::uint64_t number) = 0;
    /// A token that is above all that this client has proposed.
    [[nodiscard]] virtual std::uint64_t next_proposal() = 0;

    const base::client_id client; ///< this client
    quorum_settings settings;
    membership nodes;
    debts owed;
    hints waiters;
    vote_book book;
    barred_nodes barred;
    list_walks walks;
    layout default_layout; ///< of locks that name none
    base::jitter jitter;

    /// Whether the nodes take proposed tokens: in a layout that other libraries share there is no
    /// room for them.
    [[nodiscard]] bool proposes(const lock_format& format) const noexcept {
        return format.layout.value_or(default_layout) == layout::native;
    }

protected:
    task_host(const quorum_settings& options, std::vector<std::string> labels, layout layout,
              const base::client_id& own)
        : client{own},
          settings{options},
          nodes{std::move(labels), options.rejoin_delay && layout == layout::native
                                       ? options.max_lease
                                       : base::milliseconds{0}},
          waiters{nodes.size(), options.seed},
          default_layout{layout},
          jitter{options.seed + 1} {}
    ~task_host() = default;
};

/// Lives until it has answered and every node has answered it.
///
/// Thread safety: none.
class task {
public:
    task(op_id id, base::instant give_up) noexcept : id_{id}, give_up_{give_up} {}
    task(const task&) = delete;
    task& operator=(const task&) = delete;
    virtual ~task() = default;

    /// Asks the nodes.
    virtual void start(base::instant now) = 0;
    virtual void on_answer(unsigned node, unsigned tag, answer& answer, base::instant now) = 0;
    /// A node has joined, or cannot.
    virtual void on_node_changed(unsigned /*node*/, base::instant /*now*/) {}
    /// Whether it wants to hear of nodes that are joining.
    [[nodiscard]] virtual bool waits_for_nodes() const noexcept { return false; }
    /// `give_up` has passed.
    virtual void on_give_up(base::instant now) = 0;
    /// Ends an acquire that is not decided yet. REQUIRES: acquires() is not null.
    virtual void on_cancel(base::instant /*now*/) {}
    /// An undecided acquire: whether a node may have its vote.
    [[nodiscard]] virtual bool may_hold(unsigned /*node*/) const noexcept { return false; }
    /// The ticket that an undecided acquire asks for; null: it is none.
    [[nodiscard]] virtual const ticket* acquires() const noexcept { return nullptr; }

    [[nodiscard]] op_id id() const noexcept { return id_; }
    [[nodiscard]] base::instant give_up() const noexcept { return give_up_; }
    [[nodiscard]] bool is_open() const noexcept { return !completed_; }
    [[nodiscard]] bool is_over() const noexcept {
        return completed_ && outstanding_ == 0 && !waits_for_nodes();
    }

    // For the host.
    std::size_t slot = 0;
    void mark_completed() noexcept { completed_ = true; }
    void mark_cancelled() noexcept { cancelled_ = true; }
    [[nodiscard]] bool is_cancelled() const noexcept { return cancelled_; }
    void on_sent() noexcept { ++outstanding_; }
    void on_answered() noexcept { --outstanding_; }

private:
    op_id id_;
    base::instant give_up_;
    unsigned outstanding_ = 0;
    bool completed_ = false;
    bool cancelled_ = false; ///< nobody wants the answer
};

/// Whether a node's answer says that it cannot be reached.
[[nodiscard]] inline bool is_silence(const answer& answer) noexcept {
    return answer.status == op_status::unknown || answer.error == errc::unavailable;
}

/// Whether a node's answer says for certain what happened.
[[nodiscard]] inline bool is_definite(const answer& answer) noexcept {
    return answer.status != op_status::unknown && answer.status != op_status::failed;
}

} // namespace holdfast::engine::quorum
