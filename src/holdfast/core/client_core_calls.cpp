// client_core: single operations: reports, cells, downgrades and limits.

#include "holdfast/base/process.hpp"
#include "holdfast/core/cell_task.hpp"
#include "holdfast/core/client_core.hpp"
#include "holdfast/core/client_core_limits.hpp"
#include "holdfast/core/hold.hpp"
#include "holdfast/core/hold_set.hpp"
#include "holdfast/core/report_task.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <utility>

namespace holdfast::core {

using driver_turn = drive::driver::turn;

namespace {
/// For the answers to a resize, whatever connect_wait is.
constexpr base::milliseconds least_resize_wait{1000};
} // namespace

/// Starts the task and waits until it is ready.
template <typename Task, typename Start>
void client_core::run(const std::shared_ptr<Task>& task, Start start, const std::stop_token& stop) {
    {
        driver_turn turn{*driver_};
        start(turn.now());
        if (!stop.stop_possible()) { return turn.wait(task->sleeper()); }
    }
    // Outside of the turn: as in await().
    const std::stop_callback cancel{stop, [this, &task] { driver_->cancel(task); }};
    driver_turn turn{*driver_};
    turn.wait(task->sleeper());
}

op_result client_core::execute(const engine::op& operation, base::duration at_most,
                               const std::stop_token& stop) {
    if (inherited()) { return {{}, make_error_code(errc::forked), forked_detail}; }
    const auto task = std::make_shared<report_task>(*this, operation);
    run(
        task, [&](base::instant now) { task->start(now, at_most); }, stop);
    op_result out{task->answer(), {}, task->answer().detail};
    if (out.answer.status == engine::op_status::failed) { out.failure = out.answer.error; }
    if (out.answer.status == engine::op_status::unknown) {
        out.failure = make_error_code(errc::unknown_outcome);
    }
    return out;
}

cell_result client_core::use_cell(cell_request request, const std::stop_token& stop) {
    if (inherited()) { return {nullptr, false, make_error_code(errc::forked), forked_detail}; }
    if (stop.stop_requested()) { return {nullptr, false, make_error_code(errc::cancelled), {}}; }
    const auto task = std::make_shared<cell_task>(*this, std::move(request), new_owner());
    run(
        task, [&](base::instant now) { task->start(now); }, stop);
    return std::move(task->result());
}

op_result client_core::downgrade(hold& hold) {
    const auto failed = [](errc code, std::string detail = {}) {
        return op_result{{}, make_error_code(code), std::move(detail)};
    };
    if (inherited()) { return failed(errc::forked, forked_detail); }
    if (!hold.valid()) { return failed(errc::lost); }
    auto result = execute(engine::downgrade_op{hold.ticket()});
    if (result.failure) { return result; }
    const driver_turn turn{*driver_};
    if (result.answer.status != engine::op_status::renewed) {
        hold.on_notice({engine::notice::kind::broken, hold.ticket().owner.number, hold.token()},
                       turn.now());
        return failed(errc::lost);
    }
    hold.become_reader();
    return result;
}

/// Reads the generation of the present limit and replaces it. If somebody else was faster, it
/// replaces theirs: the calls overlap, so either order of them is right.
op_result client_core::resize(const std::string& name, const engine::lock_format& format,
                              unsigned limit) {
    if (inherited()) { return {{}, make_error_code(errc::forked), forked_detail}; }
    engine::resize_op op{{name, new_owner(), format}};
    op.not_after = base::later(now(), std::max(connect_wait(), least_resize_wait));
    for (;;) {
        auto result = execute(op);
        if (result.failure || result.answer.status != engine::op_status::reported) {
            if (!result.failure) { result.failure = make_error_code(errc::unavailable); }
            return result;
        }
        if (result.answer.report->applied) { return result; }
        op.limit = limit;
        op.generation = result.answer.report->generation;
    }
}

} // namespace holdfast::core
