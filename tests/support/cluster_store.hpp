#pragma once
// A store of the Redis engine on a cluster: three masters without replicas. It cannot fail over,
// which has tests of its own, so it starts quickly and a node that hangs keeps its slots.

#include "support/cluster_group.hpp"
#include "support/engines.hpp"

#include <string>

namespace holdfast::test {

class cluster_store final : public store {
public:
    [[nodiscard]] std::string url() const override { return group_.url(); }
    [[nodiscard]] bool hang() override {
        for (auto& node : group_.nodes) { node.pause(); }
        return true;
    }
    void resume() override {
        for (auto& node : group_.nodes) { node.resume(); }
    }
    [[nodiscard]] bool lose_data() override {
        for (auto& node : group_.nodes) { node.flush_all(); }
        return true;
    }

private:
    cluster_group group_{{.replicas = 0, .node_timeout = 4 * long_wait}};
};

} // namespace holdfast::test
