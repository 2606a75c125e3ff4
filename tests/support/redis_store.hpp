#pragma once
// A store of the Redis engine, with a server of its own.

#include "support/engines.hpp"
#include "support/redis_server.hpp"

#include <string>
#include <utility>

namespace holdfast::test {

class redis_store final : public store {
public:
    /// `query` is e.g. "?layout=plain".
    explicit redis_store(std::string query = {}) : query_{std::move(query)} {}

    [[nodiscard]] std::string url() const override { return server_.url() + query_; }
    [[nodiscard]] bool hang() override;
    void resume() override { server_.resume(); }
    [[nodiscard]] bool lose_data() override;

private:
    std::string query_;
    redis_server server_;
};

} // namespace holdfast::test
