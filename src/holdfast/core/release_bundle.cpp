#include "holdfast/core/release_bundle.hpp"

#include "holdfast/core/client_core.hpp"
#include "holdfast/drive/delivery.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace holdfast::core {

using base::instant;

release_bundle::release_bundle(client_core& core, std::size_t count) : core_{core} {
    holds_.reserve(count);
    op_.items.reserve(count);
}

bool release_bundle::add(hold& hold, engine::release_op&& item, instant give_up) noexcept {
    if (op_.items.size() == op_.items.capacity() || holds_.size() == holds_.capacity()) {
        return false;
    }
    op_.items.push_back(std::move(item));
    holds_.push_back({hold.shared_from_this(), &hold});
    give_up_ = std::min(give_up_, give_up);
    return true;
}

void release_bundle::send() noexcept {
    if (holds_.empty()) { return; }
    core_.driver().send(
        *this, drive::purpose::release, [&] { return engine::op{std::move(op_)}; }, give_up_);
}

void release_bundle::on_answer(drive::purpose purpose, const engine::answer& answer, instant sent,
                               instant now) {
    const bool answered =
        answer.status == engine::op_status::released && answer.parts.size() == holds_.size();
    engine::answer part;
    part.status = answer.status;
    part.error = answer.error;
    part.detail = answer.detail; // may throw: before anything has changed
    if (!answered && answer.status != engine::op_status::failed) {
        part.status = engine::op_status::unknown;
    }
    for (std::size_t at = 0; at < holds_.size(); ++at) {
        if (answered) { part.status = answer.parts[at].status; }
        drive::deliver_answer(*holds_[at], purpose, part, sent, now);
    }
}

} // namespace holdfast::core
