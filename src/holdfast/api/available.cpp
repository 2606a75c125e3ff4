// lock_handle: the permits of a semaphore, how many are free and how many there are.

#include "holdfast/api/lock_body.hpp"
#include "holdfast/engine/misuse_texts.hpp"

#include <algorithm>
#include <string>
#include <system_error>

namespace holdfast::detail {

namespace {

struct misuse {
    std::error_code error{};
    std::string text{};
};

/// Whether an acquire would be refused, because others use the name in another way.
misuse find_misuse(const lock_info& known, unsigned limit, const engine::capabilities& can) {
    if (known.holders.empty() && known.waiters.empty()) { return {}; }
    if (known.kind != primitive::semaphore) {
        return {make_error_code(errc::wrong_primitive),
                engine::other_kind_text(known.kind, primitive::semaphore)};
    }
    if (known.resized || can.stored_limit || known.limit == limit) { return {}; }
    return {make_error_code(errc::wrong_limit), engine::other_limit_text(known.limit, limit)};
}

} // namespace

unsigned lock_handle::available(std::error_code* failure) const {
    api::clear(failure);
    const auto& lock = body_->lock;
    const auto format = core::lock_format_of(lock.terms.options);
    const auto subject = "available() of " + lock.text();
    engine::capabilities can;
    const auto check = [&] {
        if (lock.core->inherited()) { return; } // reported below, and the engine must not be used
        can = lock.core->caps(lock.terms.kind, format);
        core::check_request(lock.terms, can);
    };
    if (!api::passes(failure, check)) { return 0; }
    const auto result = lock.core->execute(engine::inspect_op{lock.terms.name, format});
    if (result.failure) {
        api::fail(failure, result.failure, subject, result.detail);
        return 0;
    }
    const auto& locks = result.answer.report->locks;
    if (locks.empty()) { return lock.terms.limit; }
    const auto& known = locks.front();
    if (const auto found = find_misuse(known, lock.terms.limit, can); found.error) {
        api::fail(failure, found.error, subject, found.text);
        return 0;
    }
    const bool is_known = known.resized || (can.stored_limit && known.kind == primitive::semaphore);
    const unsigned limit = is_known ? known.limit : lock.terms.limit;
    unsigned taken = 0;
    for (const auto& holder : known.holders) { taken += holder.permits; }
    return limit - std::min(taken, limit);
}

bool lock_handle::resize(unsigned limit, std::error_code* failure) {
    api::clear(failure);
    const auto& lock = body_->lock;
    const auto subject = "resize() of " + lock.text();
    const auto format = core::lock_format_of(lock.terms.options);
    if (limit < 1 || limit > limits::permits) {
        api::fail(failure, make_error_code(errc::invalid_option), subject,
                  "limit is " + core::count_text(limit) + "; it must be from 1 to " +
                      std::to_string(limits::permits));
        return false;
    }
    if (!lock.core->inherited()) {
        const auto can = lock.core->caps(lock.terms.kind, format);
        if (!can.resizes) {
            const char* const why = can.supported ? can.why_no_resize : can.why_unsupported;
            api::fail(
                failure, make_error_code(errc::unsupported), subject,
                std::string{can.label} + ' ' +
                    (why != nullptr ? why : "cannot change the limit; give all users another one"));
            return false;
        }
    }
    const auto result = lock.core->resize(lock.terms.name, format, limit);
    if (!result.failure) { return true; }
    api::fail(failure, result.failure, subject, result.detail);
    return false;
}

} // namespace holdfast::detail
