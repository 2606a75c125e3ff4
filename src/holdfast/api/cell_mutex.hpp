#pragma once
// The mutex behind a cell: of who runs a once_flag's function, or leads. Errors name the primitive.

#include <holdfast/client.hpp>
#include <holdfast/detail/acquire_forms.hpp>

#include <string>
#include <utility>

namespace holdfast::api {

/// Its name is that of the cell, `KIND:NAME`. Thread safety: as for mutex.
class cell_mutex : public detail::acquire_forms {
public:
    cell_mutex(const client& client, std::string cell_name, lock_options options)
        : acquire_forms{client, std::move(cell_name), detail::lock_class::cell_mutex,
                        1,      {mode::exclusive, 1}, std::move(options)} {}
};

} // namespace holdfast::api
