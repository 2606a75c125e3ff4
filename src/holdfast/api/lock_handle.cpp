#include "holdfast/api/access.hpp"
#include "holdfast/api/acquire_call.hpp"
#include "holdfast/api/active_calls.hpp"
#include "holdfast/api/counted_holds.hpp"
#include "holdfast/api/failure.hpp"
#include "holdfast/api/hold_calls.hpp"
#include "holdfast/api/single_holds.hpp"

#include <holdfast/detail/lock_handle.hpp>

#include <utility>

namespace holdfast::detail {

class lock_handle::body {
public:
    body(const client& client, std::string name, lock_class type, unsigned limit,
         lock_options options)
        : lock{access::core(client), std::move(name), type, limit, std::move(options)} {
        if (type == lock_class::recursive_mutex) {
            holds = std::make_unique<api::counted_holds>(lock);
        } else {
            holds = std::make_unique<api::single_holds>(lock);
        }
    }

    /// Returns the hold of a new lease; null if there is none.
    [[nodiscard]] std::shared_ptr<core::hold> acquire(const api::acquire_call& call) {
        const api::active_calls::scope scope{active_calls};
        if (!call.is_allowed()) { return nullptr; }
        // Leases are not counted, so the thread would wait for itself.
        if (lock.type == lock_class::recursive_mutex &&
            core::held_by_this_thread(*lock.core, lock.id)) {
            api::fail(call.failure(), make_error_code(errc::would_deadlock), lock.text(),
                      "this thread holds it by lock(), which leases are not counted with; unlock "
                      "it first");
            return nullptr;
        }
        return call.run();
    }

    [[nodiscard]] bool lock_for_thread(const api::acquire_call& call) {
        const api::active_calls::scope scope{active_calls};
        if (!call.is_allowed()) { return false; }
        const auto relocked = holds->lock_again(call);
        if (relocked != api::thread_holds::relock_result::not_held) {
            return relocked == api::thread_holds::relock_result::done;
        }
        const auto hold = call.run();
        if (hold) { holds->add(hold); }
        return hold != nullptr;
    }

    [[nodiscard]] std::shared_ptr<core::hold> require_hold(const char* function) const {
        auto hold = holds->find();
        if (!hold) {
            throw error{errc::not_held, lock.text() + ": " + function +
                                            " by a thread that does not hold it; lock it first"};
        }
        return hold;
    }

    api::lock_object lock;
    std::unique_ptr<api::thread_holds> holds;
    api::active_calls active_calls;
};

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
    if (removed.was_held) { return; } // an inner unlock
    core.report_event([this] {
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
