#include "holdfast/core/set_request.hpp"

#include "holdfast/core/client_core.hpp"
#include "holdfast/drive/delivery.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace holdfast::core {

using base::instant;

set_request::set_request(client_core& core, std::vector<std::shared_ptr<wait_task>> tasks)
    : core_{core}, tasks_{std::move(tasks)} {
    op_.items.reserve(tasks_.size());
    for (const auto& task : tasks_) { task->join(*this); }
}

bool set_request::add(const engine::acquire_op& item) noexcept {
    if (sent_) { return false; }
    try {
        op_.items.push_back(item);
        not_after_ = std::min(not_after_, item.not_after);
        return true;
    } catch (const std::bad_alloc&) { return false; } // as if the engine could not be reached
}

void set_request::start(instant now) {
    for (const auto& task : tasks_) { task->start(now); }
    sent_ = true;
    if (op_.items.size() < tasks_.size()) { // no memory: the others end as well
        engine::answer unsent;
        unsent.status = engine::op_status::failed;
        unsent.error = make_error_code(errc::unavailable);
        return on_answer(drive::purpose::acquire, unsent, now, now);
    }
    for (auto& item : op_.items) { item.not_after = not_after_; }
    core_.driver().send(
        *this, drive::purpose::acquire, [&] { return engine::op{std::move(op_)}; }, not_after_);
}

void set_request::on_cancel(instant now) {
    for (const auto& task : tasks_) { task->on_cancel(now); }
}

/// All that can throw comes first.
void set_request::on_answer(drive::purpose purpose, const engine::answer& answer, instant sent,
                            instant now) {
    const bool granted =
        answer.status == engine::op_status::granted && answer.parts.size() == tasks_.size();
    if (granted) {
        for (const auto& task : tasks_) { task->prepare_grant(); }
    }
    engine::answer part; // retry_now is false: it asks once
    part.status = answer.status;
    part.error = answer.error;
    part.detail = answer.detail;
    if (!granted && answer.status == engine::op_status::granted) {
        part.status = engine::op_status::unknown;
    }
    for (std::size_t at = 0; at < tasks_.size(); ++at) {
        if (granted) { part.token = answer.parts[at].token; }
        drive::deliver_answer(*tasks_[at], purpose, part, sent, now);
    }
}

} // namespace holdfast::core
