#pragma once
// One wait for a lock: runs its waiter machine, and creates the hold when the lock is granted.

#include "holdfast/core/lock_request.hpp"
#include "holdfast/core/unfinished_list.hpp"
#include "holdfast/drive/participant.hpp"
#include "holdfast/drive/sleeper.hpp"
#include "holdfast/engine/ops.hpp"
#include "holdfast/machine/waiter_machine.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

namespace holdfast::core {

class client_core;
class hold;
class set_request;

/// Owned by the caller, and by the driver until the engine has neither a waiter nor a hold of it.
class wait_task final : public drive::participant {
public:
    wait_task(client_core& core, const lock_request& request, base::owner_id owner,
              const machine::wait_plan& plan, engine::queueing queue);

    // During a turn of the driver.
    void start(base::instant now);
    /// The task is part of a set, which sends its acquire and passes the answer on. It asks once:
    /// if that fails it withdraws.
    void join(set_request& set) noexcept { set_ = &set; }
    /// Allocates what a grant needs; may throw.
    void prepare_grant() { ensure_hold(); }
    /// The sleeper to wake when the wait has finished. Sets it ready at once if it has.
    void set_sleeper(drive::sleeper& sleeper);
    [[nodiscard]] bool finished() const noexcept { return finished_; }
    [[nodiscard]] machine::waiter_machine::outcome result() const noexcept {
        return machine_.result();
    }
    /// Changes if the engine grants the first one nothing any more.
    [[nodiscard]] const base::owner_id& owner() const noexcept { return op_.ticket.owner; }
    [[nodiscard]] std::shared_ptr<hold> take_hold() noexcept { return std::move(hold_); }
    [[nodiscard]] std::error_code failure() const noexcept { return failure_; }
    [[nodiscard]] const std::string& detail() const noexcept { return detail_; }

    void on_timer(base::instant now) override;
    void on_answer(drive::purpose purpose, const engine::answer& answer, base::instant sent,
                   base::instant now) override;
    void on_beat(const engine::beat_answer& answer, base::instant sent, base::milliseconds lease,
                 base::instant now) override;
    void on_notice(const engine::notice& notice, base::instant now) override;
    void on_cancel(base::instant now) override;
    void on_hurry(base::instant now) override;
    [[nodiscard]] bool is_unfinished() const override { return machine_.must_resend_withdraw(); }
    void on_shutdown() override;

private:
    void feed(const machine::wait_input& input, base::instant now) noexcept;
    void apply(const machine::waiter_machine::actions& actions, base::instant now) noexcept;
    void finish(base::instant now) noexcept;
    void ensure_hold();
    void count_wait(engine::op_status status) noexcept;
    void report_withdraw_failed(std::string_view fallback) noexcept;
    [[nodiscard]] machine::wait_event to_event(const engine::answer& answer);

    client_core& core_;
    engine::op operation_{std::in_place_type<engine::acquire_op>}; ///< sent without a copy
    engine::acquire_op& op_{*std::get_if<engine::acquire_op>(&operation_)};
    machine::lease_terms terms_;
    machine::waiter_machine machine_;
    std::shared_ptr<hold> hold_; ///< created when a grant arrives; finish() begins it
    unfinished_list::entry unfinished_entry_{*this, op_.ticket.name};
    drive::sleeper* sleeper_ = nullptr;
    set_request* set_ = nullptr; ///< null: it sends its acquires itself
    std::error_code failure_;
    std::string detail_;
    base::instant started_{};
    bool finished_ = false;
    bool waited_ = false; ///< the engine answered that someone else holds the lock
};

} // namespace holdfast::core
