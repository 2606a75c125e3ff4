// lock_handle: a writer becomes a reader.

#include "holdfast/api/lock_body.hpp"

#include <utility>

namespace holdfast::detail {

namespace {

bool do_downgrade(const api::lock_object& lock, const std::shared_ptr<core::hold>& hold,
                  std::error_code* failure) {
    const auto subject = "downgrade() of " + lock.text();
    auto& core = *lock.core;
    if (core.inherited()) { // no hold is found then
        api::fail(failure, make_error_code(errc::forked), subject);
        return false;
    }
    if (!hold || hold->mode() != mode::exclusive || hold->ticket().name != lock.terms.name) {
        api::fail(failure, make_error_code(errc::not_held), subject,
                  "it is not held as a writer; lock it first");
        return false;
    }
    const auto can = core.caps(lock.terms.kind, core::lock_format_of(lock.terms.options));
    if (!can.downgrades) {
        api::fail(
            failure, make_error_code(errc::unsupported), subject,
            std::string{can.label} + ' ' +
                (can.why_no_downgrade != nullptr ? can.why_no_downgrade : "does not downgrade") +
                "; unlock it and lock it again");
        return false;
    }
    const auto result = core.downgrade(*hold);
    if (!result.failure) { return true; }
    api::fail(failure, result.failure, subject, result.detail);
    return false;
}

} // namespace

bool lock_handle::downgrade(std::error_code* failure) {
    api::clear(failure);
    return do_downgrade(body_->lock, body_->holds->find(), failure);
}

bool lock_handle::downgrade(const lease& held, std::error_code* failure) {
    api::clear(failure);
    return do_downgrade(body_->lock, access::hold(held), failure);
}

} // namespace holdfast::detail
