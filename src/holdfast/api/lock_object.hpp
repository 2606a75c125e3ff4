#pragma once
// A lock as its object knows it: the client, the name, and the options that it was made with.

#include "holdfast/core/client_core.hpp"
#include "holdfast/core/lock_id.hpp"
#include "holdfast/core/request.hpp"

#include <holdfast/detail/lock_handle.hpp>

#include <memory>
#include <string>

namespace holdfast::api {

struct lock_object {
    /// Throws error(invalid_name) or error(invalid_option).
    lock_object(std::shared_ptr<core::client_core> client, std::string name,
                detail::lock_class lock_class, unsigned limit, lock_options options);

    /// What a call asks the engine for: the lock's options with those that the call sets.
    [[nodiscard]] core::request request(detail::share wanted, const acquire_options& options) const;
    /// For messages, e.g. `recursive_mutex "stock:1001"`.
    [[nodiscard]] std::string text() const;

    std::shared_ptr<core::client_core> core;
    detail::lock_class type;
    core::request terms; ///< of a call without options
    core::lock_id id;
};

} // namespace holdfast::api
