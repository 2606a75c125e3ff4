#pragma once
// The engine's seam over Redis servers: it validates, routes to a layout and a node, and keeps the
// deadlines. docs/design.md has the map of its parts.

#include "holdfast/engine/engine.hpp"
#include "holdfast/engine/redis/backlog.hpp"
#include "holdfast/engine/redis/diagnosis.hpp"
#include "holdfast/engine/redis/inbox.hpp"
#include "holdfast/engine/redis/layout/layout_set.hpp"
#include "holdfast/engine/redis/node_joiner.hpp"
#include "holdfast/engine/redis/operations.hpp"
#include "holdfast/engine/redis/options.hpp"
#include "holdfast/engine/redis/part_submitter.hpp"
#include "holdfast/engine/redis/topology/topology.hpp"

#include <memory>
#include <optional>

namespace holdfast::engine::redis {

/// Operations wait in the backlog until their node is ready, then go out in their order.
class redis_engine final : public engine, private node_listener, private part_submitter {
public:
    redis_engine(options options, const client_identity& identity);
    redis_engine(const redis_engine&) = delete;
    redis_engine& operator=(const redis_engine&) = delete;
    ~redis_engine() override { operations_.forget_all(); }

    [[nodiscard]] capabilities caps(primitive kind) const override { return caps_in(kind, {}); }
    [[nodiscard]] capabilities caps_in(primitive kind, const lock_format& format) const override;
    [[nodiscard]] bool is_one_step(std::span<const std::string_view> names,
                                   const lock_format& format) const override;
    void attach(sink& sink) override;
    void submit(op_id id, const op& op, base::instant give_up) override;
    void cancel(op_id id) override;
    [[nodiscard]] bool recall(op_id id) override;
    void pollables(std::vector<pollfd>& out) const override;
    base::instant drive(std::span<const pollfd> ready, base::instant now) override;
    [[nodiscard]] direct_read start_direct_read() override;
    base::instant finish_direct_read(std::size_t source, ssize_t count, int error,
                                     base::instant now) override;
    [[nodiscard]] std::size_t replies_in_flight() const override;
    void reset() noexcept override;

private:
    [[nodiscard]] std::optional<answer> reject(const op& op, const lock_layout& layout,
                                               node& node) const;
    [[nodiscard]] std::optional<answer> reject_set(const acquire_set_op& set,
                                                   const lock_layout& layout) const;
    void begin(operation& operation, const op& op, lock_layout& layout, node& node,
               base::instant now);
    void route(operation_ref operation, const op& op, lock_layout& layout, node& node);
    [[nodiscard]] bool send_beat_in_parts(operation_ref& operation, const op& op,
                                          base::instant give_up);
    void note_ticket(operation& operation, const op& op);
    [[nodiscard]] bool keep_or_split(operation& operation, const op& op, node& node);
    [[nodiscard]] node& node_for(const operation& operation, const op& op) const;
    void send_backlog(base::instant now);
    void expire(base::instant now);
    base::instant advance(flush_occasion occasion, base::instant now);
    [[nodiscard]] base::instant clock() const noexcept;

    void on_ready(node& node, bool again, base::instant now) override;
    void on_ended(node& node, const connection_loss& loss) override;
    void on_locks_moved() override { sink_->noticed({notice::kind::inbox_reset, 0, 0}); }
    bool on_redirected(node& to, bool asks, request& request, base::instant now) override;
    void submit_part(const op& op, node* at, std::shared_ptr<answer_receiver> receiver,
                     base::instant give_up) override;
    void resend(operation& operation, node& to, bool asks);

    const options options_;
    const base::time_source& time_;
    sink* sink_ = nullptr;
    operations operations_;
    inbox inbox_;
    layout_set layouts_;
    diagnosis diagnosis_;
    node_joiner joiner_{options_};
    std::unique_ptr<topology> topology_;
    backlog backlog_;
};

} // namespace holdfast::engine::redis
