#include "holdfast/engine/memory/memory.hpp"

#include "holdfast/engine/admission/request_validation.hpp"
#include "holdfast/engine/memory/mailbox.hpp"
#include "holdfast/engine/memory/memory_store.hpp"

#include <holdfast/error.hpp>

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace holdfast::engine::memory {

namespace {

/// Answers every operation at once, inside `submit`.
class memory_engine final : public engine {
public:
    memory_engine(const std::string& name, const client_identity& identity)
        : client_{identity.client},
          process_{identity.host, identity.pid},
          time_{*identity.time},
          store_{memory_store::find_or_make_store(name)},
          inbox_{std::make_shared<mailbox>()} {
        store_->join(client_, inbox_);
    }
    ~memory_engine() override { store_->leave(client_); }

    [[nodiscard]] capabilities caps(primitive /*kind*/) const override {
        capabilities can;
        can.supported = true;
        can.fifo = true;
        can.queue = queueing::grant;
        can.fencing = true;
        can.min_hold = true;
        can.sets = can.downgrades = can.resizes = true;
        return can;
    }

    void attach(sink& to) override { sink_ = &to; }

    void submit(op_id id, const op& operation, base::instant /*give_up*/) override {
        assert(sink_ != nullptr);
        pushes_.clear();
        try {
            answer answer = std::visit([this](const auto& op) { return run(op); }, operation);
            answer.id = id;
            sink_->answered(std::move(answer));
        } catch (...) { // out of memory; waiters that were granted before still get their notices
            deliver_all();
            throw;
        }
        deliver_all();
    }

    void cancel(op_id /*id*/) override {} // every operation is answered already

    void pollables(std::vector<pollfd>& out) const override {
        out.push_back({inbox_->descriptor(), POLLIN, 0});
    }

    base::instant drive(std::span<const pollfd> /*ready*/, base::instant /*now*/) override {
        assert(sink_ != nullptr);
        const bool complete = inbox_->drain_into(received_);
        for (const notice& notice : received_) { sink_->noticed(notice); }
        if (!complete) { sink_->noticed({notice::kind::inbox_reset, 0, 0}); }
        return base::never;
    }

private:
    void deliver_all() {
        for (const auto& push : pushes_) {
            if (push.to == client_) {
                sink_->noticed(push.notice); // this client is running: no wake-up needed
            } else {
                store_->deliver(push);
            }
        }
    }

    answer run(const acquire_op& operation) {
        return store_->acquire(operation, process_, time_, pushes_);
    }

    answer run(const beat_op& operation) {
        if (operation.items.size() > max_beat_items) {
            return admission::failed_answer(errc::limit_reached,
                                            "beat: at most " + std::to_string(max_beat_items) +
                                                " items at once");
        }
        return store_->beat(operation, process_, time_, pushes_);
    }

    answer run(const release_op& operation) {
        return make_answer(store_->release(operation, time_, pushes_));
    }
    answer run(const withdraw_op& operation) {
        return make_answer(store_->withdraw(operation, time_, pushes_));
    }
    answer run(const break_op& operation) {
        return make_answer(store_->break_lock(operation, time_, pushes_));
    }

    answer run(const downgrade_op& operation) {
        return store_->downgrade(operation, time_, pushes_);
    }
    answer run(const resize_op& operation) { return store_->resize(operation, time_, pushes_); }
    answer run(const acquire_set_op& operation) {
        return store_->acquire_set(operation, process_, time_, pushes_);
    }
    answer run(const release_set_op& operation) {
        return store_->release_set(operation, time_, pushes_);
    }

    answer run(const inspect_op& operation) {
        engine_report found;
        found.locks.push_back(store_->inspect(operation.name, time_, pushes_));
        return make_answer(std::move(found));
    }

    answer run(const list_op& operation) {
        return make_answer(store_->list(operation, time_, pushes_));
    }

    answer run(const diagnose_op& /*operation*/) {
        engine_report found;
        found.text = "memory: " + std::to_string(store_->size()) + " names known";
        return make_answer(std::move(found));
    }

    answer run(const cell_op& operation) { return store_->use_cell(operation, time_, pushes_); }

    answer run(const join_op& /*operation*/) {
        engine_report found;
        found.node_id = store_->id();
        return make_answer(std::move(found));
    }

    using engine_report = holdfast::engine::report;

    static answer make_answer(op_status status) {
        answer out;
        out.status = status;
        return out;
    }
    static answer make_answer(engine_report&& found) {
        answer out = make_answer(op_status::reported);
        out.report = std::make_shared<const engine_report>(std::move(found));
        return out;
    }

    const base::client_id client_;
    const admission::client_process process_;
    const base::time_source& time_;
    const std::shared_ptr<memory_store> store_;
    const std::shared_ptr<mailbox> inbox_;
    sink* sink_ = nullptr;
    memory_store::pushes pushes_;  // member to reuse its memory
    std::vector<notice> received_; // likewise
};

} // namespace

std::unique_ptr<engine> make(const url& url, const client_identity& identity) {
    if (!url.authority.empty()) {
        throw error{errc::invalid_url, "URL: memory: has no host; write memory: or memory:NAME"};
    }
    url.allow_only({});
    return std::make_unique<memory_engine>(url.path, identity);
}

checkup check_up(const url& url, const checkup_terms& /*terms*/) {
    checkup out;
    out.ok("reach", url.scheme + ":",
           "locks are in the memory of this process: they exclude its threads, and no other "
           "process");
    return out;
}

} // namespace holdfast::engine::memory
