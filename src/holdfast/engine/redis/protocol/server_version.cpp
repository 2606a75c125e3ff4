#include "holdfast/engine/redis/protocol/server_version.hpp"

#include <charconv>

namespace holdfast::engine::redis {

bool is_too_old(std::string_view product, std::string_view version) noexcept {
    constexpr unsigned oldest_redis = 7;
    unsigned major = 0;
    std::from_chars(version.data(), version.data() + version.size(), major);
    return product == "redis" && major < oldest_redis;
}

} // namespace holdfast::engine::redis
