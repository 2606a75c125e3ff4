#pragma once
// A store of the Redis engine: a server of its own.

#include "support/engines.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {

class redis_store final : public store {
public:
    [[nodiscard]] std::string url() const override { return server_.url(); }
    [[nodiscard]] bool hang() override;
    [[nodiscard]] bool lose_data() override;

private:
    redis_server server_;
};

} // namespace holdfast::test
