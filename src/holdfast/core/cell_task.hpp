#pragma once
// One operation on a cell, and the wait for what it becomes.

#include "holdfast/drive/participant.hpp"
#include "holdfast/drive/sleeper.hpp"
#include "holdfast/engine/ops.hpp"

#include <holdfast/detail/wait_limit.hpp>

#include <functional>
#include <memory>
#include <string>
#include <system_error>

namespace holdfast::core {

class client_core;

struct cell_request {
    engine::cell_op op{}; ///< client_core sets the owner of its ticket
    /// Waits until this holds. Null: the first answer is enough.
    std::function<bool(const engine::cell_state&)> is_done{};
    detail::wait_limit wait = detail::wait_limit::unlimited(); ///< for `is_done`
};

struct cell_result {
    std::shared_ptr<const engine::cell_state> cell{}; ///< as last read; null: no answer
    bool done = false;                                ///< false without a failure: a time-out
    std::error_code failure{};
    std::string detail{};
};

/// Repeats the operation while the engine cannot be reached, until connect_wait or the caller's
/// time-out. While it waits it watches the cell, and reads it once a second in case that a notice
/// is lost.
///
/// State table; an event that is not listed is ignored.
///
///  asking    reported: done, or waiting | late, unknown, unavailable: pausing, or done
///            refused: done | notice: remembered
///  pausing   tick: asking
///  waiting   tick, notice: asking, to read
///  any of these   tick at the caller's time-out, after the first answer: done
///            cancel: done; a change whose request was sent and not answered is in doubt
class cell_task final : public drive::participant {
public:
    cell_task(client_core& core, cell_request request, base::owner_id owner);

    // During a turn of the driver.
    void start(base::instant now);
    [[nodiscard]] drive::sleeper& sleeper() noexcept { return sleeper_; }
    [[nodiscard]] cell_result& result() noexcept { return result_; }

    void on_timer(base::instant now) override;
    void on_answer(drive::purpose purpose, const engine::answer& answer, base::instant sent,
                   base::instant now) override;
    void on_notice(const engine::notice& notice, base::instant now) override;
    void on_cancel(base::instant now) override;

private:
    void ask(base::instant now) noexcept;
    void on_reported(base::instant now) noexcept;
    void on_failed(const engine::answer& answer, base::instant now);
    void finish() noexcept;
    void arm() noexcept;
    [[nodiscard]] bool may_wait() const noexcept;
    [[nodiscard]] bool changes() const noexcept;

    client_core& core_;
    cell_request request_;
    cell_result result_;
    drive::sleeper sleeper_;
    base::duration patience_{0};           ///< with an engine that does not answer
    base::instant give_up_ = base::never;  ///< the caller's
    base::instant answer_by_{};            ///< of this request, repeated or not
    base::instant next_ask_ = base::never; ///< while nothing is in flight
    bool in_flight_ = false;
    bool notified_ = false; ///< while something was in flight
    bool finished_ = false;
    bool may_have_happened_ = false; ///< a change without an answer
};

} // namespace holdfast::core
