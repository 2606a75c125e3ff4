#pragma once
// An acquire as the public classes want it: checked, waited for, and told in the caller's way.

#include "holdfast/core/client_core.hpp"
#include "holdfast/core/threads.hpp"

#include <memory>
#include <stop_token>
#include <system_error>

namespace holdfast::api {

/// The hold; null if somebody else had it all the time, or if `failure` was set. Cancellation is
/// a failure only with `cancel_fails`, else it looks like contention.
[[nodiscard]] std::shared_ptr<core::hold> ask(core::client_core& core, const core::request& request,
                                              detail::patience wait, const std::stop_token& stop,
                                              bool cancel_fails, std::error_code* failure);

/// Releases without throwing, as unlock() must; tells the observer what went wrong.
void let_go(core::client_core& core, core::hold& held) noexcept;

/// The calling thread holds it from now on, and `keep` remembers it. If there is no memory for that
/// the hold is released.
template <typename Keep>
void give_to_this_thread(const std::shared_ptr<core::client_core>& core, const core::lock_id& lock,
                         const std::shared_ptr<core::hold>& held, Keep keep) {
    try {
        core::watch_hold(core, lock, held);
        keep();
    } catch (...) {
        core::forget_hold(held.get());
        core->let_go(*held, false);
        throw;
    }
}

/// Throws error(unsupported) where there are no tokens: a token is never 0.
[[nodiscard]] std::uint64_t token_of(const core::hold& held);

} // namespace holdfast::api
