#pragma once
// One call of lock() or acquire(): checks its options, waits for the lock and reports failures.

#include "holdfast/api/lock_object.hpp"
#include "holdfast/api/stop_policy.hpp"

#include <memory>
#include <optional>
#include <stop_token>
#include <system_error>

namespace holdfast::api {

class acquire_call {
public:
    acquire_call(const lock_object& lock, detail::share wanted, detail::wait_limit wait,
                 const acquire_options& options, stop_policy on_stop, std::error_code* failure)
        : lock_{lock},
          own_request_{lock.is_usual(wanted, options)
                           ? std::nullopt
                           : std::optional{lock.request(wanted, options)}},
          request_{own_request_ ? *own_request_ : lock.terms},
          wait_{wait},
          stop_{options.stop},
          stop_policy_{on_stop},
          failure_{failure} {}
    acquire_call(const acquire_call&) = delete;
    acquire_call& operator=(const acquire_call&) = delete;
    ~acquire_call() = default;

    /// Whether the call may proceed: its options are valid, the engine supports them, and no stop
    /// is requested. Does no I/O.
    [[nodiscard]] bool is_allowed() const;
    /// Requests the lock. Null if someone else held it all the time, or after a failure.
    [[nodiscard]] std::shared_ptr<core::hold> run() const;

    enum class renewal { done, lost, failed };
    /// Renews a hold of this lock instead: for the lease, time-out and stop token of this call.
    [[nodiscard]] renewal renew(core::hold& hold) const;

    [[nodiscard]] const core::lock_request& request() const noexcept { return request_; }
    [[nodiscard]] std::error_code* failure() const noexcept { return failure_; }

private:
    [[nodiscard]] bool passes_checks() const;
    void report(std::error_code code, const std::string& detail) const;

    const lock_object& lock_;
    std::optional<core::lock_request> own_request_; ///< empty: that of the lock
    const core::lock_request& request_;
    detail::wait_limit wait_;
    const std::stop_token& stop_;
    stop_policy stop_policy_;
    std::error_code* failure_;
};

} // namespace holdfast::api
