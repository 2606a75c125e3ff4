#pragma once
// The engine itself: runs operations in transactions, those that find the file busy later.

#include "holdfast/base/random.hpp"
#include "holdfast/engine/embedded/death_watch.hpp"
#include "holdfast/engine/embedded/fork_watch.hpp"
#include "holdfast/engine/embedded/location.hpp"
#include "holdfast/engine/embedded/embedded_store.hpp"
#include "holdfast/engine/embedded/sweeper.hpp"
#include "holdfast/engine/embedded/operation_runner.hpp"
#include "holdfast/engine/engine.hpp"
#include "holdfast/engine/factory.hpp"

#include <deque>
#include <span>
#include <utility>
#include <vector>

namespace holdfast::engine::embedded {

/// Thread safety: that of `engine`; forks may come from any thread.
class embedded_engine final : public engine, private fork_watch {
public:
    embedded_engine(location where, const client_identity& identity)
        : client_{identity.client},
          from_{identity.host, identity.pid},
          time_{*identity.time},
          random_{base::random_seed()},
          store_{std::move(where), identity.client, identity.boot},
          sweeper_{base::random_seed()} {
        watch();
    }
    ~embedded_engine() override { unwatch(); }

    [[nodiscard]] capabilities caps(primitive /*kind*/) const override {
        capabilities can;
        can.supported = true;
        can.fifo = true;
        can.queue = queueing::grant;
        can.fencing = true;
        can.min_hold = true;
        can.frees_dead_at_once = true;
        return can;
    }
    void attach(sink& to) override { sink_ = &to; }
    void submit(op_id id, const op& operation, base::instant give_up) override;
    void cancel(op_id id) override;
    void pollables(std::vector<pollfd>& out) const override;
    base::instant drive(std::span<const pollfd> ready, base::instant now) override;
    void reset() noexcept override;

private:
    struct job {
        op_id id = 0;
        op operation;
        base::instant give_up{};
        base::instant since{};
    };

    /// An operation that is about to be tried: of a job that waits, or of the caller of `submit`.
    struct task {
        op_id id;
        const op* operation;
    };
    enum class outcome : std::uint8_t { answered, busy, one_by_one };

    // The guard is held here, so no transaction is under way.
    void before_fork() noexcept override { store_.close_database(); }
    void in_child() noexcept override {
        store_.drop_descriptors();
        deaths_.drop();
        sweeper_.drop();
    }

    [[nodiscard]] bool begin(store::access access);
    [[nodiscard]] outcome attempt(std::span<const task> tasks);
    void do_all(std::span<const task> tasks);
    void undo(errc after, bool told = true) noexcept;
    void deliver();
    void run_pending(base::instant now);
    void try_later(base::instant now);
    void refuse_overdue(base::instant now);
    void sweep(base::instant now);

    const base::client_id client_;
    const admission::place from_;
    const base::time_source& time_;
    base::jitter random_;
    store store_;
    sink* sink_ = nullptr;

    std::deque<job> pending_; ///< those that found the file busy
    base::instant next_try_{};
    base::duration pause_{};

    death_watch deaths_;
    sweeper sweeper_;
    work::afterwards then_;       // kept for its memory
    std::vector<answer> answers_; // likewise
};

} // namespace holdfast::engine::embedded
