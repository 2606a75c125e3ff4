#pragma once
// The acquire of several names in one step: collects the requests of its waits, sends them as one
// operation and passes the answer on.

#include "holdfast/core/wait_task.hpp"
#include "holdfast/drive/participant.hpp"
#include "holdfast/engine/ops.hpp"

#include <memory>
#include <vector>

namespace holdfast::core {

/// Asks once. Each wait withdraws its own ticket if the answer is lost or comes too late, so that
/// nothing stays taken.
///
/// Owned by the caller, and by the driver until the answer has arrived.
class set_request final : public drive::participant {
public:
    /// `tasks` are not started yet.
    set_request(client_core& core, std::vector<std::shared_ptr<wait_task>> tasks);

    [[nodiscard]] const std::vector<std::shared_ptr<wait_task>>& tasks() const noexcept {
        return tasks_;
    }

    // During a turn of the driver.
    void start(base::instant now);
    /// From a wait: its acquire. False: the set was sent already.
    [[nodiscard]] bool add(const engine::acquire_op& item) noexcept;

    void on_answer(drive::purpose purpose, const engine::answer& answer, base::instant sent,
                   base::instant now) override;
    void on_cancel(base::instant now) override;
    void on_timer(base::instant /*now*/) override {}

private:
    client_core& core_;
    std::vector<std::shared_ptr<wait_task>> tasks_;
    engine::acquire_set_op op_;
    base::instant not_after_ = base::never;
    bool sent_ = false;
};

} // namespace holdfast::core
