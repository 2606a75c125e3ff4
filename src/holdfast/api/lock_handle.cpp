#include "holdfast/api/hold_calls.hpp"
#include "holdfast/api/lock_body.hpp"

#include <utility>

namespace holdfast::detail {

lock_handle::lock_handle(const client& client, std::string name, lock_class type, unsigned limit,
                         lock_options options)
    : body_{std::make_unique<body>(client, std::move(name), type, limit, std::move(options))} {}

lock_handle::~lock_handle() = default;

const std::string& lock_handle::name() const noexcept { return body_->lock.terms.name; }

lease lock_handle::acquire(share wanted, const acquire_options& options, std::error_code* failure) {
    auto hold = body_->acquire(
        {body_->lock, wanted, wait_limit::unlimited(), options, api::stop_policy::fails, failure});
    return hold ? access::make_lease(body_->lock.core, std::move(hold)) : lease{};
}

std::optional<lease> lock_handle::try_acquire(share wanted, wait_limit wait,
                                              const acquire_options& options,
                                              std::error_code* failure) {
    auto hold =
        body_->acquire({body_->lock, wanted, wait, options, api::stop_policy::gives_up, failure});
    if (!hold) { return std::nullopt; }
    return access::make_lease(body_->lock.core, std::move(hold));
}

bool lock_handle::lock(share wanted, const acquire_options& options, std::error_code* failure) {
    return body_->lock_for_thread(
        {body_->lock, wanted, wait_limit::unlimited(), options, api::stop_policy::fails, failure});
}

bool lock_handle::try_lock(share wanted, wait_limit wait, const acquire_options& options,
                           std::error_code* failure) {
    return body_->lock_for_thread(
        {body_->lock, wanted, wait, options, api::stop_policy::gives_up, failure});
}

void lock_handle::unlock(share held) noexcept {
    auto& core = *body_->lock.core;
    if (core.inherited()) { return; }
    const auto removed = body_->holds->remove(held.mode);
    if (removed.hold) { return api::unlock(core, *removed.hold); }
    if (!removed.was_held) { report_not_held(); } // else an inner unlock
}

void lock_handle::report_not_held() const noexcept {
    body_->lock.core->report_event([this] {
        return event{event::kind::unlock_not_held,
                     name(),
                     {},
                     0,
                     make_error_code(errc::not_held),
                     "unlock() by a thread that does not hold it"};
    });
}

std::uint64_t lock_handle::token() const {
    return api::token_of(*body_->lock.core, *body_->require_hold("token()"));
}

std::stop_token lock_handle::lost() const {
    return body_->lock.core->lost(*body_->require_hold("lost()"));
}

bool lock_handle::valid() const noexcept {
    const auto hold = body_->holds->find();
    return hold && hold->valid();
}

unsigned lock_handle::count() const noexcept { return body_->holds->count(); }

} // namespace holdfast::detail
