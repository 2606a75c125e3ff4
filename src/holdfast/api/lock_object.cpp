#include "holdfast/api/lock_object.hpp"

#include "holdfast/api/cell_object.hpp"
#include "holdfast/base/quote.hpp"

#include <utility>

namespace holdfast::api {

namespace {

primitive primitive_of(detail::lock_class type) noexcept {
    switch (type) {
    case detail::lock_class::shared_mutex: return primitive::shared_mutex;
    case detail::lock_class::semaphore: return primitive::semaphore;
    default: return primitive::mutex; // also a recursive_mutex: the engine does not count
    }
}

core::lock_request checked_request(std::string name, detail::lock_class type, unsigned limit,
                                   lock_options options) {
    core::check_name(name);
    core::check_limit(limit);
    core::check_options(options);
    return {std::move(name), primitive_of(type), {}, 1, limit, std::move(options)};
}

} // namespace

lock_object::lock_object(std::shared_ptr<core::client_core> client, std::string name,
                         detail::lock_class lock_class, unsigned limit, lock_options options)
    : core{std::move(client)},
      type{lock_class},
      terms{checked_request(std::move(name), lock_class, limit, std::move(options))},
      id{*core, terms} {}

core::lock_request lock_object::request(detail::share wanted,
                                        const acquire_options& options) const {
    auto out = terms;
    out.mode = wanted.mode;
    out.permits = wanted.permits;
    core::override_options(out.options, options);
    return out;
}

std::string lock_object::text() const {
    if (type == detail::lock_class::recursive_mutex) {
        return "recursive_mutex " + base::quote(terms.name);
    }
    if (type == detail::lock_class::cell_mutex) { return cell_text(terms.name); }
    return core::describe(terms.kind, terms.name);
}

} // namespace holdfast::api
