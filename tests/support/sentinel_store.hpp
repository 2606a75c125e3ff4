#pragma once
// A store of the Redis engine behind a sentinel: one master and one sentinel. It cannot fail over,
// which has tests of its own, so it starts quickly and a master that hangs stays the master.

#include "support/engines.hpp"
#include "support/sentinel_group.hpp"

#include <string>

namespace holdfast::test {

class sentinel_store final : public store {
public:
    [[nodiscard]] std::string url() const override { return group_.url(); }
    [[nodiscard]] bool hang() override {
        group_.servers.front().pause();
        return true;
    }
    void resume() override { group_.servers.front().resume(); }
    [[nodiscard]] bool lose_data() override {
        group_.servers.front().flush_all();
        return true;
    }

private:
    sentinel_group group_{{.replicas = 0, .sentinels = 1, .down_after = long_wait}};
};

} // namespace holdfast::test
