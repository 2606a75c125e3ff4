#pragma once
// Fixtures: a cluster of three masters, with and without replicas, and ways to inspect its nodes.

#include "support/background.hpp"
#include "support/cluster_group.hpp"
#include "support/recording_observer.hpp"
#include "support/timing.hpp"

#include <holdfast/holdfast.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

namespace holdfast::test {

/// A lease that outlives a failover, even on a busy machine.
inline constexpr milliseconds lease_of_a_minute = 60s;

class cluster_fault : public testing::Test {
protected:
    explicit cluster_fault(cluster_group_options options) : group{std::move(options)} {}

    [[nodiscard]] client connect(const std::string& query = {}, client_options options = {}) const {
        return client{group.url(query), std::move(options)};
    }
    /// Of Holdfast's own layout.
    [[nodiscard]] static std::string key_of(const std::string& name) { return "hf:{" + name + "}"; }
    [[nodiscard]] redis_server& owner_of(const std::string& name) {
        return group.master_of(key_of(name));
    }
    /// A name that this node serves.
    [[nodiscard]] std::string name_on(const redis_server& node, const std::string& base = "stock") {
        for (int number = 0;; ++number) {
            auto name = base + std::to_string(number);
            if (&owner_of(name) == &node) { return name; }
        }
    }

    /// Inspects a name by the cluster; no holders and waiters if it is not in use.
    [[nodiscard]] lock_info look(const std::string& name) {
        if (!looker_) { looker_.emplace(group.url(), client_options{.connect_wait = long_wait}); }
        std::error_code failure;
        const auto seen = admin{*looker_}.inspect(name, failure);
        return seen.value_or(lock_info{});
    }
    [[nodiscard]] bool will_wait(std::size_t count, const std::string& name) {
        return eventually([&] { return look(name).waiters.size() == count; });
    }
    [[nodiscard]] bool is_held(const std::string& name) { return !look(name).holders.empty(); }

    /// What a node itself has, sorted.
    [[nodiscard]] static std::vector<std::string> keys_on(redis_server& node) {
        std::vector<std::string> out;
        const auto all = node.command({"KEYS", "*"});
        for (const auto& key : all.items()) { out.push_back(key.string()); }
        std::ranges::sort(out);
        return out;
    }
    /// The keys of one lock on a node.
    [[nodiscard]] static std::vector<std::string> keys_on(redis_server& node,
                                                          const std::string& name) {
        auto out = keys_on(node);
        std::erase_if(out, [&](const auto& key) { return !key.starts_with(key_of(name)); });
        return out;
    }

    cluster_group group;

private:
    std::optional<client> looker_;
};

/// No node is replaced: what hangs or is dead stays so.
class cluster_of_masters : public cluster_fault {
protected:
    cluster_of_masters()
        : cluster_fault{{.replicas = 0,
                         .node_timeout = 4 * long_wait,
                         .server_arguments = {"--cluster-require-full-coverage", "no"}}} {}
};

/// Each master has a replica, and is replaced when it dies.
class cluster_with_replicas : public cluster_fault {
protected:
    cluster_with_replicas() : cluster_fault{{.node_timeout = scaled(1s)}} {}

    /// Waits until the replica of this master has executed all that the master has.
    [[nodiscard]] static bool is_replicated(redis_server& master) {
        return eventually([&] { return master.is_replicated_to(1); });
    }
};

/// Tries to take a lock; what the failure says, or "no error".
struct try_result {
    std::error_code code{};
    std::string text = "no error";
    milliseconds took{0};
    bool busy = false;
};

[[nodiscard]] inline try_result try_once(client& client, const std::string& name) {
    try_result out;
    const stopwatch watch;
    try {
        mutex lock{client, name};
        out.busy = !lock.try_lock();
        if (!out.busy) { lock.unlock(); }
    } catch (const error& thrown) {
        out.code = thrown.code();
        out.text = thrown.what();
    }
    out.took = watch.elapsed();
    return out;
}

/// Waits in the background for the lock, and returns the lease.
[[nodiscard]] inline auto wait_for_lock(client& client, std::string name,
                                        lock_options options = {}) {
    return background{
        [&client, options = std::move(options), name = std::move(name)](std::stop_token stop) {
            return mutex{client, name, options}.acquire({.stop = std::move(stop)});
        }};
}

} // namespace holdfast::test
