#pragma once
// The acquire of several names, which all forms of acquire_all() call.

#include <holdfast/detail/wait_limit.hpp>
#include <holdfast/export.hpp>
#include <holdfast/options.hpp>

#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace holdfast {

class client;
class lease_set;

namespace detail {

/// Not for direct use. A null `failure` means: throw.
HOLDFAST_API std::optional<lease_set> acquire_names(const client& client,
                                                    std::vector<std::string> names, wait_limit wait,
                                                    const acquire_options& options,
                                                    std::error_code* failure);

} // namespace detail
} // namespace holdfast
