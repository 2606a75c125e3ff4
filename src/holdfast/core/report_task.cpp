#include "holdfast/core/report_task.hpp"

#include "holdfast/core/client_core.hpp"

#include <holdfast/error.hpp>

namespace holdfast::core {

namespace {
constexpr base::milliseconds retry_pause{100};

/// Whether it may run twice. A second break of any holder would break the next holder's lock.
bool repeatable(const engine::op& operation) {
    const auto* const breaks = std::get_if<engine::break_op>(&operation);
    return breaks == nullptr || breaks->only_token != 0;
}

} // namespace

void report_task::start(base::instant now) {
    give_up_ = base::later(now, core_.connect_wait());
    on_timer(now);
}

void report_task::on_timer(base::instant /*now*/) {
    core_.drive().send(
        *this, drive::purpose::report, [&]() -> const engine::op& { return op_; }, give_up_);
}

void report_task::on_answer(drive::purpose /*of*/, const engine::answer& answer,
                            base::instant /*sent*/, base::instant now) {
    const bool safe =
        (answer.status == engine::op_status::unknown && repeatable(op_)) ||
        (answer.status == engine::op_status::failed && answer.error == errc::unavailable);
    const bool again = safe && (!core_.one_attempt() || answer.retry_now);
    if (again && now + retry_pause < give_up_) {
        core_.drive().wake_at(*this, now + retry_pause);
        return;
    }
    answer_ = answer;
    core_.drive().ready(sleeper_);
}

} // namespace holdfast::core
