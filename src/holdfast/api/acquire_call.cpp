#include "holdfast/api/acquire_call.hpp"

#include "holdfast/api/failure.hpp"

#include <utility>

namespace holdfast::api {

void acquire_call::report(std::error_code code, const std::string& detail) const {
    if (code == errc::cancelled && stop_policy_ == stop_policy::gives_up) { return; }
    fail(failure_, code, lock_.text(), detail);
}

bool acquire_call::passes_checks() const {
    const bool usual = !own_request_;
    if (usual && lock_.terms_are_allowed.load(std::memory_order_relaxed)) { return true; }
    const auto check = [&] {
        core::check_request(
            request_, lock_.core->caps(request_.kind, core::lock_format_of(request_.options)));
    };
    if (!passes(failure_, check)) { return false; }
    if (usual) { lock_.terms_are_allowed.store(true, std::memory_order_relaxed); }
    return true;
}

bool acquire_call::is_allowed() const {
    clear(failure_);
    // run() reports that, and the engine must not be used
    if (lock_.core->inherited()) { return true; }
    if (!passes_checks()) { return false; }
    if (!stop_.stop_requested()) { return true; }
    report(make_error_code(errc::cancelled), {});
    return false;
}

std::shared_ptr<core::hold> acquire_call::run() const {
    auto result = lock_.core->acquire(request_, wait_, stop_);
    if (result.failure) { report(result.failure, result.detail); }
    return std::move(result.hold);
}

acquire_call::renewal acquire_call::renew(core::hold& hold) const {
    const auto lease = core::terms_of(request_.options).lease;
    if (!passes(failure_, [&] { core::check_lease(lease, hold.margin()); })) {
        return renewal::failed;
    }
    const auto failure =
        lock_.core->extend(hold, lease, lock_.core->answer_wait(request_, wait_), stop_);
    if (!failure) { return renewal::done; }
    if (failure == errc::lost) { return renewal::lost; }
    // The hold is kept: only its renewal is not confirmed. As of any try without an answer.
    if (failure == errc::unknown_outcome) {
        report(make_error_code(errc::unavailable), "no answer in time to the renewal");
    } else {
        report(failure, {});
    }
    return renewal::failed;
}

} // namespace holdfast::api
