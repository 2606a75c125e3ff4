#pragma once
// Why a topology has not found its servers.

#include <string>
#include <system_error>

namespace holdfast::engine::redis {

struct search_failure {
    std::error_code code{};
    std::string text{};
};

} // namespace holdfast::engine::redis
