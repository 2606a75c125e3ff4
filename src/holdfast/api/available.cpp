// lock_handle: the permits of a semaphore, how many are free and how many there are.

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
    unsigned limit = lock.terms.limit;
    for (const auto& each : result.answer.report->locks) {
        if (each.resized) { limit = each.limit; }
        if (each.kind != primitive::semaphore && !each.holders.empty()) {
            api::fail(failure, make_error_code(errc::wrong_primitive),
                      "available() of " + lock.text(),
                      "the name is in use as another kind of lock");
            return 0;
        }
        for (const auto& holder : each.holders) { taken += holder.permits; }
    }
    return limit - std::min(taken, limit);
}

bool lock_handle::resize(unsigned limit, std::error_code* failure) {
    api::clear(failure);
    const auto& lock = body_->lock;
    const auto subject = "resize() of " + lock.text();
    const auto format = core::lock_format_of(lock.terms.options);
    if (limit < 1 || limit > limits::permits) {
        api::fail(failure, make_error_code(errc::invalid_option), subject,
                  "limit must be from 1 to " + std::to_string(limits::permits));
        return false;
    }
    if (!lock.core->inherited()) {
        const auto can = lock.core->caps(lock.terms.kind, format);
        if (!can.resizes) {
            api::fail(
                failure, make_error_code(errc::unsupported), subject,
                std::string{can.label} + ' ' +
                    (can.why_no_resize != nullptr ? can.why_no_resize : "cannot change the limit"));
            return false;
        }
    }
    const auto result = lock.core->resize(lock.terms.name, format, limit);
    if (!result.failure) { return true; }
    api::fail(failure, result.failure, subject, result.detail);
    return false;
}

} // namespace holdfast::detail
