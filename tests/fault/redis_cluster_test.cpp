// How a client finds the node of a lock in a cluster, and what it says when it cannot.

#include "fault/redis_cluster_fixture.hpp"
#include "proxy/proxy.hpp"

namespace holdfast::test {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

class redis_cluster : public cluster_of_masters {
protected:
    [[nodiscard]] std::string address(std::size_t at) const {
        return "127.0.0.1:" + std::to_string(group.nodes[at].port());
    }
    /// In small pages.
    [[nodiscard]] static std::multiset<std::string> list_all(client& client) {
        std::multiset<std::string> out;
        list_options query{.count = 7};
        for (int pages = 0; pages < 200; ++pages) {
            const auto page = admin{client}.list(query);
            for (const auto& each : page.locks) { out.insert(each.name); }
            if (page.cursor.empty()) { break; }
            query.cursor = page.cursor;
        }
        return out;
    }
    /// A name on each of the masters.
    [[nodiscard]] std::vector<std::string> name_on_each() {
        std::vector<std::string> out;
        for (const auto& node : group.nodes) { out.push_back(name_on(node)); }
        return out;
    }
};

TEST_F(redis_cluster, keeps_each_lock_on_the_node_of_its_slot) {
    client here = connect();
    std::set<const redis_server*> used;
    for (int i = 0; i < 30; ++i) {
        const auto name = "stock" + std::to_string(i);
        const auto lease = mutex{here, name}.acquire();
        auto& owner = owner_of(name);
        used.insert(&owner);
        EXPECT_EQ(owner.command({"EXISTS", key_of(name)}).number(), 1) << name;
        EXPECT_TRUE(is_held(name));
    }
    EXPECT_EQ(used.size(), 3U) << "the names do not reach all nodes";
    EXPECT_GT(here.ping().count(), 0);
}

// The waiting thread polled the descriptors of before until its own timer was due, past the
// time-out of the new connection.
TEST_F(redis_cluster, a_node_is_reached_at_once_while_another_thread_waits_at_a_hung_one) { // P5
    client here = connect();
    const auto names = name_on_each();
    { const auto held = mutex{here, names[0]}.acquire(); }
    owner_of(names[0]).pause();
    auto hung = wait_for_lock(here, names[0]);
    std::this_thread::sleep_for(700ms); // it polls, and is busy with nothing
    for (std::size_t at = 1; at < names.size(); ++at) {
        const auto tried = try_once(here, names[at]);
        EXPECT_EQ(tried.code, std::error_code{}) << tried.text;
        EXPECT_LT(tried.took, scaled(300ms));
    }
    group.nodes[0].resume();
    EXPECT_TRUE(hung.get().valid());
}

TEST_F(redis_cluster, is_found_by_one_node_that_lives) {
    client here{"redis+cluster://127.0.0.1:1," + address(2), {.connect_wait = long_wait}};
    for (const auto& name : name_on_each()) {
        EXPECT_TRUE((mutex{here, name}.try_acquire_for(long_wait))) << name;
    }
}

TEST_F(redis_cluster, says_so_if_no_node_can_be_reached) {
    const auto url = group.url();
    for (auto& node : group.nodes) { node.kill(); }
    client here{url, {.connect_wait = 300ms}};
    const auto got = try_once(here, "stock");
    EXPECT_EQ(got.code, errc::unavailable);
    EXPECT_THAT(got.text, AllOf(HasSubstr("no node of the cluster"), HasSubstr("127.0.0.1:")));
    EXPECT_LT(got.took, scaled(1200ms)) << "P9";
    std::error_code failure;
    const stopwatch watch;
    EXPECT_FALSE((mutex{here, "stock"}.try_acquire_for(300ms, {}, failure)));
    EXPECT_EQ(failure, errc::unavailable);
    EXPECT_LT(watch.elapsed(), scaled(1200ms)) << "P9";
}

TEST_F(redis_cluster, with_a_dead_node_serves_the_names_of_the_others) {
    const auto names = name_on_each();
    const auto first_too = name_on(group.nodes[0], "other");
    const auto third_too = name_on(group.nodes[2], "other");
    client here = connect("?connect_timeout=300", {.connect_wait = 500ms});
    std::vector<lease> held;
    for (const auto& name : names) {
        held.push_back(mutex{here, name, {.lease = scaled(1200ms)}}.acquire());
    }
    group.nodes[1].kill();
    EXPECT_TRUE(eventually([&] { return !held[1].valid(); })) << "P2: nobody can renew it";
    EXPECT_TRUE(throughout(scaled(1500ms), [&] { return held[0].valid() && held[2].valid(); }))
        << "heartbeats of the other nodes";
    EXPECT_FALSE(try_once(here, first_too).code);
    EXPECT_EQ(try_once(here, names[1]).code, errc::unavailable);
    EXPECT_EQ(held[0].release(), release_answer::released);
    EXPECT_FALSE(try_once(here, third_too).code);
}

TEST_F(redis_cluster, with_a_frozen_node_renews_the_leases_of_the_others) {
    const auto names = name_on_each();
    client here = connect("?timeout=300");
    auto first = mutex{here, names[0], {.lease = scaled(900ms)}}.acquire();
    auto third = mutex{here, names[2], {.lease = scaled(900ms)}}.acquire();
    const auto second = mutex{here, names[1], {.lease = scaled(900ms)}}.acquire();
    group.nodes[1].pause();
    EXPECT_TRUE(throughout(scaled(2s), [&] { return first.valid() && third.valid(); }));
    EXPECT_FALSE(second.valid()) << "P2";
    group.nodes[1].resume();
    EXPECT_TRUE((mutex{here, names[1]}.try_acquire_for(long_wait)));
}

TEST_F(redis_cluster, serves_names_with_braces) {
    client here = connect();
    client there = connect();
    const std::vector<std::string> names{"{a}b", "}x",   "{}",     "{",     "a{b}c{d}",
                                         "%7ba", "{a}c", "{}{}{}", "{a}b%", "plain"};
    std::vector<lease> held;
    for (const auto& name : names) {
        auto lease = mutex{here, name}.try_acquire_for(0ms);
        ASSERT_TRUE(lease) << name << ": another name's lock is in the way";
        held.push_back(std::move(*lease));
        EXPECT_TRUE(try_once(there, name).busy) << name;
        EXPECT_EQ(look(name).holders.size(), 1U) << name;
    }
    const auto listed = list_all(there);
    for (const auto& name : names) { EXPECT_TRUE(listed.contains(name)) << name; }
    auto waiter = wait_for_lock(there, names[0]);
    ASSERT_TRUE(will_wait(1, names[0]));
    held[0].release();
    EXPECT_TRUE(waiter.get().valid());
}

TEST_F(redis_cluster, lists_the_locks_of_all_masters_once) {
    client here = connect();
    std::vector<lease> held;
    std::set<std::string> names;
    for (int i = 0; i < 60; ++i) {
        const auto name = "stock" + std::to_string(i);
        held.push_back(mutex{here, name}.acquire());
        names.insert(name);
    }
    const auto listed = list_all(here);
    EXPECT_EQ(std::set<std::string>(listed.begin(), listed.end()), names);
    EXPECT_EQ(listed.size(), names.size()) << "a name is listed twice";
}

TEST_F(redis_cluster, passes_a_pipelined_release_on_to_its_own_node) {
    client here = connect("", {.pipeline_release = true});
    client there = connect();
    const auto names = name_on_each();
    for (int round = 0; round < 20; ++round) {
        for (const auto& name : names) {
            mutex lock{here, name};
            const std::scoped_lock hold{lock};
        }
    }
    for (const auto& name : names) {
        EXPECT_TRUE((mutex{there, name}.try_acquire_for(long_wait))) << name << " was not released";
    }
}

TEST_F(redis_cluster, refuses_a_redis_url_and_names_the_right_one) {
    client here{group.nodes[0].url()};
    const auto got = try_once(here, "stock");
    EXPECT_EQ(got.code, errc::unsupported);
    EXPECT_THAT(got.text, HasSubstr("redis+cluster"));
}

TEST_F(redis_cluster, refuses_a_server_that_is_no_node_of_a_cluster) {
    const redis_server alone;
    client here{"redis+cluster://127.0.0.1:" + std::to_string(alone.port())};
    const auto got = try_once(here, "stock");
    EXPECT_EQ(got.code, errc::unsupported) << got.text;
    EXPECT_THAT(got.text, AllOf(HasSubstr("cluster"), HasSubstr(std::to_string(alone.port()))));
}

TEST_F(redis_cluster, refuses_urls_that_no_cluster_can_serve) {
    const auto code_of = [](const std::string& url) -> std::error_code {
        try {
            const client here{url};
        } catch (const error& thrown) { return thrown.code(); }
        return {};
    };
    EXPECT_EQ(code_of(group.url("/2")), errc::invalid_url) << "a cluster has one database";
    EXPECT_EQ(code_of(group.url("?db=2")), errc::invalid_url);
    EXPECT_THAT(code_of(group.url("?max_lease=5s")), AnyOf(errc::invalid_url, errc::unsupported));
    EXPECT_EQ(code_of("redis+cluster://"), errc::invalid_url);
    EXPECT_FALSE(code_of(group.url("?timeout=300")));
}

TEST_F(redis_cluster, is_reached_at_the_mapped_addresses) {
    std::string map;
    std::vector<std::unique_ptr<proxy>> between;
    for (std::size_t at = 0; at < group.nodes.size(); ++at) {
        between.push_back(std::make_unique<proxy>(group.nodes[at].port()));
        map += (map.empty() ? "" : ",") + address(at) +
               "=127.0.0.1:" + std::to_string(between.back()->port());
    }
    client here{"redis+cluster://127.0.0.1:" + std::to_string(between[0]->port()) + "?map=" + map};
    for (const auto& name : name_on_each()) {
        const auto got = try_once(here, name);
        EXPECT_FALSE(got.code) << got.text;
    }
    for (const auto& each : between) { EXPECT_GT(each->counts().requests, 0U); }
}

TEST_F(redis_cluster, reports_a_slot_without_an_owner_and_goes_on_with_the_others) {
    client here = connect("", {.connect_wait = 500ms});
    const auto names = name_on_each();
    ASSERT_FALSE(try_once(here, names[0]).code);
    const auto slot = std::to_string(group.slot_of(key_of(names[1])));
    for (auto& node : group.nodes) { node.command({"CLUSTER", "DELSLOTS", slot}); }
    const auto got = try_once(here, names[1]);
    EXPECT_EQ(got.code, errc::unavailable) << got.text;
    EXPECT_FALSE(try_once(here, names[0]).code);
    client patient = connect("", {.connect_wait = long_wait});
    auto waiter = wait_for_lock(patient, names[1]);
    EXPECT_FALSE(waiter.done_within(200ms));
    group.nodes[0].command({"CLUSTER", "ADDSLOTS", slot});
    EXPECT_TRUE(waiter.get().valid());
}

class redis_cluster_coverage : public cluster_fault {
protected:
    redis_cluster_coverage() : cluster_fault{{.replicas = 0, .node_timeout = scaled(500ms)}} {}
};

TEST_F(redis_cluster_coverage, is_required_by_the_servers_and_its_lack_is_unavailable) {
    client here = connect("?connect_timeout=300", {.connect_wait = 500ms});
    client patient = connect("", {.connect_wait = 4 * long_wait});
    const auto name = name_on(group.nodes[0]);
    ASSERT_FALSE(try_once(here, name).code);
    group.nodes[1].kill();
    ASSERT_TRUE(
        eventually([&] { return cluster_info(group.nodes[0], "cluster_state") == "fail"; }));
    const auto got = try_once(here, name);
    EXPECT_EQ(got.code, errc::unavailable) << "P5: not busy";
    EXPECT_THAT(got.text, HasSubstr("cluster"));
    auto waiter = wait_for_lock(patient, name);
    EXPECT_FALSE(waiter.done_within(200ms));
    group.nodes[1].restart();
    EXPECT_TRUE(waiter.get().valid());
}

class redis_cluster_password : public cluster_fault {
protected:
    redis_cluster_password()
        : cluster_fault{
              {.replicas = 0, .node_timeout = 4 * long_wait, .password = "of-all-nodes"}} {}
};

TEST_F(redis_cluster_password, is_that_of_all_nodes) {
    client here = connect();
    for (auto& node : group.nodes) { EXPECT_FALSE(try_once(here, name_on(node)).code); }
    auto url = group.url();
    url.replace(url.find("of-all-nodes"), 12, "hunter2");
    client stranger{url};
    const auto got = try_once(stranger, "stock");
    EXPECT_EQ(got.code, errc::store_forbidden);
    EXPECT_THAT(got.text, Not(AnyOf(HasSubstr("hunter2"), HasSubstr("of-all-nodes"))));
}

} // namespace
} // namespace holdfast::test
