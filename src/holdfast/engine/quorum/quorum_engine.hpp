#pragma once
// The engine's seam over several independent engines: a lock is held if a majority of them says so.

#include "holdfast/engine/factory.hpp"
#include "holdfast/engine/group/engine_group.hpp"
#include "holdfast/engine/quorum/task.hpp"

#include <memory>
#include <string>
#include <vector>

namespace holdfast::engine::quorum {

/// A node of the quorum, and what messages call it.
struct quorum_node {
    std::unique_ptr<engine> access;
    std::string label;
};

/// Redlock, with the safeguards of docs/redlock.md. Each operation is a task that asks the nodes in
/// parallel. The engine routes the nodes' answers to the tasks, keeps the nodes joined, wakes
/// waiters and pays debts.
///
/// Thread safety: none.
class quorum_engine final : public engine, private task_host {
public:
    quorum_engine(std::vector<quorum_node> members, const quorum_settings& options,
                  const client_identity& identity);
    quorum_engine(const quorum_engine&) = delete;
    quorum_engine& operator=(const quorum_engine&) = delete;
    ~quorum_engine() override;

    [[nodiscard]] capabilities caps(primitive kind) const override { return caps_in(kind, {}); }
    [[nodiscard]] capabilities caps_in(primitive kind, const lock_format& format) const override;
    void attach(sink& sink) override;
    void submit(op_id id, const op& op, base::instant give_up) override;
    void cancel(op_id id) override;
    void pollables(std::vector<pollfd>& out) const override { group_.pollables(out); }
    base::instant drive(std::span<const pollfd> ready, base::instant now) override;
    [[nodiscard]] direct_read start_direct_read() override;
    base::instant finish_direct_read(std::size_t source, ssize_t count, int error,
                                     base::instant now) override;
    [[nodiscard]] std::size_t replies_in_flight() const override;
    void reset() noexcept override;

private:
    // For tasks.
    void ask(task& task, unsigned node, unsigned tag, const op& operation, base::instant give_up,
             base::instant now) override;
    void join(base::instant now) override;
    void on_node_changed(unsigned node, base::instant now) override;
    [[nodiscard]] base::milliseconds attempt() const override;
    void complete(task& task, answer&& answer) override;
    void abort_acquires(const ticket& ticket, base::instant now) override;
    void owe(unsigned node, const op& request, base::instant until, base::instant now) override;
    void renew_soon(std::uint64_t number) override;
    [[nodiscard]] std::uint64_t next_proposal() override;

    [[nodiscard]] std::unique_ptr<task> make_task(op_id id, const op& op, base::instant give_up);
    task& add(std::unique_ptr<task> task);
    void start(std::unique_ptr<task> task, base::instant now);
    void remove_if_over(std::size_t slot);
    void handle_events(base::instant now);
    void on_answer(unsigned node, answer& answer, base::instant now);
    void on_notice(unsigned node, const notice& notice, base::instant now);
    void on_broken(unsigned node, std::uint64_t number, base::instant now);
    /// Releases what is left of a hold that was broken; nobody waits for it.
    void give_back(std::uint64_t number, base::instant now);
    void run_timers(base::instant now);
    base::instant advance(base::instant now);
    [[nodiscard]] base::instant clock() const noexcept;

    struct slot_entry {
        std::unique_ptr<quorum::task> task;
        std::uint32_t generation = 0;
    };

    const base::time_source& time_;
    engine_group group_;
    sink* sink_ = nullptr;
    std::vector<slot_entry> slots_;
    std::vector<std::size_t> free_;
    std::size_t open_tasks_ = 0;           ///< not answered yet
    base::instant earliest_ = base::never; ///< no open task gives up before
    std::uint64_t last_proposal_ = 0;
};

} // namespace holdfast::engine::quorum
