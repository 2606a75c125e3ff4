// lock_handle: the free permits of a semaphore.

#include "holdfast/api/lock_body.hpp"

#include <algorithm>

namespace holdfast::detail {

unsigned lock_handle::available(std::error_code* failure) const {
    api::clear(failure);
    const auto& lock = body_->lock;
    const auto format = core::lock_format_of(lock.terms.options);
    const auto check = [&] {
        if (lock.core->inherited()) { return; } // reported below, and the engine must not be used
        core::check_request(lock.terms, lock.core->caps(lock.terms.kind, format));
    };
    if (!api::passes(failure, check)) { return 0; }
    const auto result = lock.core->execute(engine::inspect_op{lock.terms.name, format});
    if (result.failure) {
        api::fail(failure, result.failure, "available() of " + lock.text(), result.detail);
        return 0;
    }
    unsigned taken = 0;
    for (const auto& each : result.answer.report->locks) {
        if (each.kind != primitive::semaphore && !each.holders.empty()) {
            api::fail(failure, make_error_code(errc::wrong_primitive),
                      "available() of " + lock.text(),
                      "the name is in use as another kind of lock");
            return 0;
        }
        for (const auto& holder : each.holders) { taken += holder.permits; }
    }
    return lock.terms.limit - std::min(taken, lock.terms.limit);
}

} // namespace holdfast::detail
