#include "holdfast/engine/redis/redis.hpp"

#include "holdfast/engine/redis/redis_engine.hpp"

namespace holdfast::engine::redis {

std::unique_ptr<engine> make(const url& url, const client_identity& identity) {
    return std::make_unique<redis_engine>(options::from(url), identity);
}

} // namespace holdfast::engine::redis
