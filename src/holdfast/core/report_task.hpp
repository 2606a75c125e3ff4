#pragma once
// One operation that belongs to no hold of this client: inspect, list, break, resize, diagnose.

#include "holdfast/drive/participant.hpp"
#include "holdfast/drive/sleeper.hpp"
#include "holdfast/engine/ops.hpp"

namespace holdfast::core {

class client_core;

/// Retries while the engine cannot be reached, for connect_wait at most. A break whose outcome is
/// unknown is not repeated, unless it names its token. Once the outcome of an attempt is unknown,
/// it stays so unless the answer to a later one tells.
class report_task final : public drive::participant {
public:
    report_task(client_core& core, engine::op operation) : core_{core}, op_{std::move(operation)} {}

    // During a turn of the driver.
    void start(base::instant now, base::duration at_most);
    [[nodiscard]] drive::sleeper& sleeper() noexcept { return sleeper_; }
    [[nodiscard]] const engine::answer& answer() const noexcept { return answer_; }

    void on_timer(base::instant now) override;
    void on_answer(drive::purpose purpose, const engine::answer& answer, base::instant sent,
                   base::instant now) override;
    /// Then it fails with cancelled. Only for what changes nothing.
    void on_cancel(base::instant now) override;

private:
    client_core& core_;
    engine::op op_;
    engine::answer answer_;
    drive::sleeper sleeper_;
    base::instant give_up_{};
    bool may_have_happened_ = false;
    bool is_answered_ = false;
    bool cancelled_ = false;
};

} // namespace holdfast::core
