#pragma once
// One call of lock() or acquire(): checked before any I/O, waited for, and its failure reported.

#include "holdfast/api/lock_object.hpp"

#include <memory>
#include <stop_token>
#include <system_error>

namespace holdfast::api {

/// What a requested stop means: an error for lock() and acquire(), contention for the try forms.
enum class on_stop { fails, gives_up };

class acquire_call {
public:
    acquire_call(const lock_object& lock, detail::share wanted, detail::wait_limit wait,
                 const acquire_options& options, on_stop stopped, std::error_code* failure)
        : lock_{lock},
          request_{lock.request(wanted, options)},
          wait_{wait},
          stop_{options.stop},
          on_stop_{stopped},
          failure_{failure} {}

    /// Whether the call may go on: its options are valid, the engine has what it asks for, and no
    /// stop is requested. Does no I/O.
    [[nodiscard]] bool is_allowed() const;
    /// Asks the engine. Null if someone else held the lock all the time, or after a failure.
    [[nodiscard]] std::shared_ptr<core::hold> run() const;

    [[nodiscard]] const core::request& request() const noexcept { return request_; }
    [[nodiscard]] std::error_code* failure() const noexcept { return failure_; }

private:
    void report(std::error_code code, const std::string& detail) const;

    const lock_object& lock_;
    core::request request_;
    detail::wait_limit wait_;
    const std::stop_token& stop_;
    on_stop on_stop_;
    std::error_code* failure_;
};

} // namespace holdfast::api
