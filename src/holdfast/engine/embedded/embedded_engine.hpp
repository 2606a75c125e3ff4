#pragma once
// The engine of embedded: runs operations in transactions, and retries those that find the file
// busy.

#include "holdfast/base/random.hpp"
#include "holdfast/engine/embedded/death_watch.hpp"
#include "holdfast/engine/embedded/embedded_store.hpp"
#include "holdfast/engine/embedded/fork_watch.hpp"
#include "holdfast/engine/embedded/location.hpp"
#include "holdfast/engine/embedded/operation_runner.hpp"
#include "holdfast/engine/embedded/sweeper.hpp"
#include "holdfast/engine/engine.hpp"
#include "holdfast/engine/factory.hpp"

#include <deque>
#include <span>
#include <utility>
#include <vector>

namespace holdfast::engine::embedded {

/// Thread safety: that of `engine`; fork() may be called from any thread.
class embedded_engine final : public engine, private fork_watch {
public:
    embedded_engine(location location, const client_identity& identity)
        : client_{identity.client},
          process_{identity.host, identity.pid},
          time_{*identity.time},
          random_{base::random_seed()},
          store_{std::move(location), identity.client, identity.boot},
          sweeper_{base::random_seed()} {
        watch();
    }
    ~embedded_engine() override {
        close_store(); // while it is watched: a fork meanwhile would inherit an open connection
        unwatch();
    }

    [[nodiscard]] capabilities caps(primitive /*kind*/) const override {
        capabilities can;
        can.supported = true;
        can.fifo = true;
        can.queue = queueing::grant;
        can.fencing = true;
        can.min_hold = true;
        can.frees_dead_at_once = true;
        can.sets = can.downgrades = can.resizes = true;
        return can;
    }
    void attach(sink& to) override { sink_ = &to; }
    void submit(op_id id, const op& operation, base::instant give_up) override;
    void cancel(op_id id) override;
    [[nodiscard]] bool recall(op_id id) override;
    void pollables(std::vector<pollfd>& out) const override;
    base::instant drive(std::span<const pollfd> ready, base::instant now) override;
    void reset() noexcept override;

private:
    struct pending_op {
        op_id id = 0;
        op operation;
        base::instant give_up{};
        base::instant since{};
    };

    /// An operation of the next transaction: pending, or just submitted.
    struct op_ref {
        op_id id;
        const op* operation;
    };
    enum class outcome : std::uint8_t { answered, busy, retry_separately };

    // The guard is held here, so no transaction is open.
    void before_fork() noexcept override { store_.close_database(); }
    void in_child() noexcept override {
        store_.drop_descriptors();
        death_watch_.clear();
        sweeper_.drop();
    }

    void close_store() noexcept;
    [[nodiscard]] bool begin(embedded_store::transaction_kind kind);
    [[nodiscard]] outcome attempt(std::span<const op_ref> ops);
    void run_all(std::span<const op_ref> ops);
    void roll_back(errc code, bool reported = true) noexcept;
    void deliver();
    void run_pending(base::instant now);
    void schedule_retry(base::instant now);
    void fail_overdue(base::instant now);
    void sweep(base::instant now);

    const base::client_id client_;
    const admission::client_process process_;
    const base::time_source& time_;
    base::jitter random_;
    embedded_store store_;
    sink* sink_ = nullptr;

    std::deque<pending_op> pending_; ///< operations that found the file busy
    base::instant next_try_{};
    base::duration pause_{};

    death_watch death_watch_;
    sweeper sweeper_;
    operation_runner::post_commit_work post_commit_; // member to reuse its memory
    std::vector<answer> answers_;                    // likewise
};

} // namespace holdfast::engine::embedded
