#pragma once
// The parts of a lock object: client, name, class and options.

#include "holdfast/core/client_core.hpp"
#include "holdfast/core/lock_id.hpp"
#include "holdfast/core/lock_request.hpp"

#include <holdfast/detail/lock_handle.hpp>

#include <atomic>
#include <memory>
#include <string>

namespace holdfast::api {

struct lock_object {
    /// Throws error(invalid_name) or error(invalid_option).
    lock_object(std::shared_ptr<core::client_core> client, std::string name,
                detail::lock_class lock_class, unsigned limit, lock_options options);

    /// Whether `terms` are the request of this call.
    [[nodiscard]] bool is_usual(detail::share wanted, const acquire_options& options) const {
        return wanted.mode == terms.mode && wanted.permits == terms.permits &&
               !core::sets_options(options);
    }
    /// The request of a call: the lock's options, overridden by those that the call sets.
    [[nodiscard]] core::lock_request request(detail::share wanted,
                                             const acquire_options& options) const;
    /// For messages, e.g. `recursive_mutex "stock:1001"`.
    [[nodiscard]] std::string text() const;

    std::shared_ptr<core::client_core> core;
    detail::lock_class type;
    core::lock_request terms; ///< the request of a call without options
    core::lock_id id;
    /// `terms` have passed the checks of a call. They always will: an engine's capabilities come
    /// from its URL.
    mutable std::atomic<bool> terms_are_allowed{false};
};

} // namespace holdfast::api
