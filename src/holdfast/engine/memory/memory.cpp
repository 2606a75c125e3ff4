#include "holdfast/engine/memory/memory.hpp"

#include "holdfast/engine/admission/request.hpp"
#include "holdfast/engine/memory/mailbox.hpp"
#include "holdfast/engine/memory/store.hpp"

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
          from_{identity.host, identity.pid},
          time_{*identity.time},
          store_{store::named(name)},
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
        return can;
    }

    void attach(sink& to) override { sink_ = &to; }

    void submit(op_id id, const op& operation, base::instant /*give_up*/) override {
        assert(sink_ != nullptr);
        pushes_.clear();
        try {
            answer answer = std::visit([this](const auto& one) { return run(one); }, operation);
            answer.id = id;
            sink_->answered(std::move(answer));
        } catch (...) { // no memory; who was granted something by then shall hear of it
            deliver_all();
            throw;
        }
        deliver_all();
    }

    void cancel(op_id /*id*/) override {} // everything is answered already

    void pollables(std::vector<pollfd>& out) const override {
        out.push_back({inbox_->descriptor(), POLLIN, 0});
    }

    base::instant drive(std::span<const pollfd> /*ready*/, base::instant /*now*/) override {
        assert(sink_ != nullptr);
        const bool all = inbox_->empty_into(came_);
        for (const notice& notice : came_) { sink_->noticed(notice); }
        if (!all) { sink_->noticed({notice::kind::inbox_reset, 0, 0}); }
        return base::never;
    }

private:
    void deliver_all() {
        for (const auto& push : pushes_) {
            if (push.to == client_) {
                sink_->noticed(push.notice); // it is our turn anyway: no need to wake anybody
            } else {
                store_->deliver(push);
            }
        }
    }

    answer run(const acquire_op& operation) {
        return store_->acquire(operation, from_, time_, pushes_);
    }

    answer run(const beat_op& operation) {
        if (operation.items.size() > most_beats) {
            return admission::refuse(errc::limit_reached, "beat: at most " +
                                                              std::to_string(most_beats) +
                                                              " items at once");
        }
        return store_->beat(operation, time_, pushes_);
    }

    answer run(const release_op& operation) {
        return say(store_->release(operation.ticket, time_, pushes_));
    }
    answer run(const withdraw_op& operation) {
        return say(store_->withdraw(operation.ticket, time_, pushes_));
    }
    answer run(const break_op& operation) {
        return say(store_->break_lock(operation, time_, pushes_));
    }

    answer run(const inspect_op& operation) {
        engine_report found;
        found.locks.push_back(store_->inspect(operation.name, time_, pushes_));
        return say(std::move(found));
    }

    answer run(const list_op& operation) { return say(store_->list(operation, time_, pushes_)); }

    answer run(const diagnose_op& /*what*/) {
        engine_report found;
        found.text = "memory: " + std::to_string(store_->size()) + " names known";
        return say(std::move(found));
    }

    using engine_report = holdfast::engine::report;

    static answer say(op_status status) {
        answer out;
        out.status = status;
        return out;
    }
    static answer say(engine_report&& found) {
        answer out = say(op_status::reported);
        out.report = std::make_shared<const engine_report>(std::move(found));
        return out;
    }

    const base::client_id client_;
    const admission::place from_;
    const base::time_source& time_;
    const std::shared_ptr<store> store_;
    const std::shared_ptr<mailbox> inbox_;
    sink* sink_ = nullptr;
    store::pushes pushes_;     // kept for their memory
    std::vector<notice> came_; // likewise
};

} // namespace

std::unique_ptr<engine> make(const url& where, const client_identity& identity) {
    if (!where.authority.empty()) {
        throw error{errc::invalid_url, "URL: memory: has no host; write memory: or memory:NAME"};
    }
    where.allow_only({});
    return std::make_unique<memory_engine>(where.path, identity);
}

} // namespace holdfast::engine::memory
