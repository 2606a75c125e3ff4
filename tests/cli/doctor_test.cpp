// `holdfast doctor` on files, and on real servers that are set up badly.

#include "cli/cli_fixture.hpp"

#include <filesystem>
#include <sstream>
#include <sys/stat.h>

#if HOLDFAST_WITH_REDIS
#    include "support/cluster_group.hpp"
#    include "support/sentinel_group.hpp"
#endif

namespace holdfast::test {

namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int warning = 1;
constexpr int danger = 2;

class cli_doctor : public cli {
protected:
    /// `holdfast doctor --url URL WORDS...`
    command_result doctor(const std::string& url, const words& rest = {}) {
        words all{"doctor", "--url", url};
        all.insert(all.end(), rest.begin(), rest.end());
        return command(all);
    }
};

/// A line of the output of --json with these parts.
bool has_line(const std::string& out, const std::vector<std::string>& parts) {
    std::istringstream lines{out};
    for (std::string line; std::getline(lines, line);) {
        bool fits = true;
        for (const auto& part : parts) { fits = fits && line.find(part) != std::string::npos; }
        if (fits) { return true; }
    }
    return false;
}

std::string field(const std::string& name, const std::string& value) {
    return "\"" + name + "\":\"" + value + "\"";
}

TEST_F(cli_doctor, finds_an_embedded_file_with_good_rights_in_order_but_for_its_place) {
    const auto end = command({"doctor"}); // the sandbox is below /tmp
    EXPECT_EQ(end.code, warning) << end.out << end.err;
    EXPECT_THAT(end.out, AllOf(HasSubstr("warning  "), HasSubstr("place: "), HasSubstr("do: "),
                               HasSubstr("trial: a lock was acquired and released"),
                               ContainsRegex("0 dangers, 1 warning, [0-9]+ ok")));
    EXPECT_FALSE(has_escapes(end.out)) << "colours go to a terminal only";
}

TEST_F(cli_doctor, names_an_embedded_file_that_everybody_can_write) {
    ASSERT_TRUE(is_free("job")); // makes the file
    ASSERT_EQ(::chmod(sandbox_.file("locks").c_str(), 0666), 0);
    const auto end = command({"doctor", "--json"});
    EXPECT_EQ(end.code, danger);
    EXPECT_TRUE(has_line(end.out, {field("check", "rights"), field("severity", "danger"), "chmod"}))
        << end.out;
}

TEST_F(cli_doctor, refuses_a_wrong_url_as_any_command_does) {
    EXPECT_EQ(doctor("redis://host?no_such_option=1").code, 64);
    EXPECT_EQ(doctor("memory:").code, 64);
}

#if HOLDFAST_WITH_REDIS

const words safe_settings{"--appendonly", "yes", "--appendfsync", "always"};

TEST_F(cli_doctor, finds_nothing_wrong_with_a_server_that_is_set_up_safely) {
    redis_server server{{.arguments = safe_settings}};
    const auto end = doctor(server.url());
    EXPECT_EQ(end.code, 0) << end.out << end.err;
    EXPECT_THAT(end.out, AllOf(HasSubstr("0 dangers, 0 warnings"), Not(HasSubstr("do: "))));
    const auto quiet = doctor(server.url(), {"-q", "--json"});
    EXPECT_EQ(quiet.out, "");
}

TEST_F(cli_doctor, names_an_eviction_policy_that_deletes_locks) {
    redis_server server{
        {.arguments = {"--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"}}};
    const auto end = doctor(server.url(), {"--json"});
    EXPECT_EQ(end.code, danger);
    EXPECT_TRUE(has_line(end.out, {field("check", "eviction"), field("severity", "danger"),
                                   "allkeys-lru", "maxmemory-policy noeviction"}))
        << end.out;
}

TEST_F(cli_doctor, says_that_a_server_over_its_maxmemory_is_full) {
    redis_server server{{.arguments = safe_settings}};
    server.command({"CONFIG", "SET", "maxmemory", "100kb"});
    const auto end = doctor(server.url(), {"--json"});
    EXPECT_EQ(end.code, danger);
    EXPECT_TRUE(has_line(end.out, {field("check", "memory"), field("severity", "danger"),
                                   "so it is full: nobody can acquire a lock"}))
        << end.out;
    EXPECT_TRUE(has_line(end.out, {field("check", "trial"), field("severity", "danger"),
                                   "raise maxmemory, or remove other data"}))
        << end.out;
    EXPECT_THAT(end.out, Not(HasSubstr("docs/")));
}

TEST_F(cli_doctor, names_a_server_without_persistence_unless_max_lease_makes_up_for_it) {
    redis_server server;
    const auto end = doctor(server.url(), {"--json"});
    EXPECT_EQ(end.code, danger);
    EXPECT_TRUE(has_line(end.out, {field("check", "persistence"), field("severity", "danger"),
                                   "no persistence", "max_lease=30s"}))
        << end.out;
    const auto safe = doctor(server.url() + "?max_lease=5s", {"--no-trial"});
    EXPECT_EQ(safe.code, 0) << safe.out << safe.err;
}

TEST_F(cli_doctor, names_a_replica_that_was_addressed_by_mistake) {
    redis_server master;
    redis_server replica{
        {.arguments = {"--replicaof", "127.0.0.1", std::to_string(master.port())}}};
    const auto end = doctor(replica.url(), {"--json"});
    EXPECT_EQ(end.code, danger);
    EXPECT_TRUE(has_line(end.out, {field("check", "role"),
                                   "it is a replica of 127.0.0.1:" + std::to_string(master.port()),
                                   "use the address of the master"}))
        << end.out;
}

TEST_F(cli_doctor, names_a_wrong_password_and_a_missing_one_without_printing_it) {
    redis_server server{{.password = "right"}};
    const auto port = std::to_string(server.port());
    const auto wrong = doctor("redis://:not-it@127.0.0.1:" + port, {"--json"});
    EXPECT_EQ(wrong.code, danger);
    EXPECT_TRUE(has_line(wrong.out, {field("check", "login"), field("severity", "danger"),
                                     "WRONGPASS", "correct the user and password"}))
        << wrong.out;
    EXPECT_THAT(wrong.out, Not(HasSubstr("not-it")));
    const auto missing = doctor("redis://127.0.0.1:" + port, {"--json"});
    EXPECT_TRUE(has_line(missing.out, {field("check", "login"), "NOAUTH", "--url-file"}))
        << missing.out;
}

TEST_F(cli_doctor, names_a_clock_that_is_30_seconds_off) {
    redis_server server{{.arguments = safe_settings, .adjustable_clock = true}};
    server.set_clock(std::chrono::seconds{-30});
    const auto end = doctor(server.url(), {"--json"});
    EXPECT_EQ(end.code, warning) << end.out;
    EXPECT_TRUE(has_line(end.out, {field("check", "clock"), field("severity", "warning"),
                                   "s behind ours", "chrony"}))
        << end.out;
}

TEST_F(cli_doctor, names_nodes_of_a_quorum_whose_clocks_disagree_and_one_that_is_down) {
    redis_server first;
    redis_server second{{.adjustable_clock = true}};
    redis_server third;
    second.set_clock(std::chrono::seconds{-31});
    const auto url = "redlock://127.0.0.1:" + std::to_string(first.port()) +
                     ",127.0.0.1:" + std::to_string(second.port()) +
                     ",127.0.0.1:" + std::to_string(third.port());
    third.kill();
    const auto end = doctor(url, {"--json"});
    EXPECT_EQ(end.code, danger);
    EXPECT_TRUE(has_line(end.out, {field("check", "clock"), field("severity", "danger"),
                                   std::to_string(second.port()), "refuses"}))
        << end.out;
    EXPECT_TRUE(has_line(end.out, {field("check", "reach"), field("severity", "danger"),
                                   std::to_string(third.port()), "start the server"}))
        << end.out;
    EXPECT_TRUE(has_line(end.out, {field("check", "quorum"), "2 of 3 nodes can serve"})) << end.out;
}

TEST_F(cli_doctor, says_that_a_restarted_node_of_a_quorum_does_not_vote_yet) {
    redis_server first;
    redis_server second;
    redis_server third{{.arguments = safe_settings}};
    const auto url = "redlock://127.0.0.1:" + std::to_string(first.port()) +
                     ",127.0.0.1:" + std::to_string(second.port()) +
                     ",127.0.0.1:" + std::to_string(third.port()) + "?max_lease=2s";
    ASSERT_EQ(
        run({"--url", url, "--lease", "2s", "--connect-wait", "20s", "job", "--", "true"}).code, 0);
    third.restart();
    const auto end = doctor(url, {"--json", "--no-trial"});
    EXPECT_TRUE(has_line(end.out, {field("check", "rejoin"), field("severity", "warning"),
                                   std::to_string(third.port()), "was restarted"}))
        << end.out;
}

TEST_F(cli_doctor, names_a_cluster_whose_slots_are_not_served) {
    cluster_group group{{.masters = 3, .replicas = 0, .server_arguments = safe_settings}};
    ASSERT_EQ(doctor(group.url(), {"--json"}).code, warning) << "masters without replicas";
    group.nodes[1].kill();
    ASSERT_TRUE(
        eventually([&] { return cluster_info(group.nodes[0], "cluster_state") == "fail"; }));
    const auto end = doctor(group.url(), {"--json"});
    EXPECT_EQ(end.code, danger);
    EXPECT_TRUE(has_line(end.out, {field("check", "cluster"), "slots have no master that works",
                                   "redis-cli --cluster fix"}))
        << end.out;
    EXPECT_TRUE(has_line(end.out, {field("check", "cluster-node"), field("severity", "danger"),
                                   std::to_string(group.nodes[1].port()), "FAILOVER TAKEOVER"}))
        << end.out;
    EXPECT_TRUE(has_line(end.out, {field("check", "cluster"), "cluster_state is fail"})) << end.out;
}

TEST_F(cli_doctor, names_a_node_of_a_cluster_that_was_addressed_as_a_single_server) {
    cluster_group group{{.masters = 3, .replicas = 0}};
    const auto end = doctor(group.nodes[0].url(), {"--json"});
    EXPECT_EQ(end.code, danger);
    EXPECT_TRUE(has_line(
        end.out, {field("check", "role"), "node of a Redis Cluster", "write redis+cluster://"}))
        << end.out;
}

TEST_F(cli_doctor, judges_a_master_its_replicas_and_its_sentinels) {
    sentinel_group group{{.replicas = 1, .sentinels = 3}};
    const auto end = doctor(group.url("?replicas=1&max_lease=5s"), {"--json", "--no-trial"});
    EXPECT_EQ(end.code, warning) << end.out << end.err;
    EXPECT_TRUE(has_line(end.out, {field("check", "min-replicas"), "min-replicas-to-write 1",
                                   "it has one replica, whose loss then stops all locks"}))
        << end.out;
    EXPECT_TRUE(has_line(end.out, {field("check", "replication"), "it follows its master"}))
        << end.out;
    group.sentinels[0].kill();
    group.sentinels[1].kill();
    ASSERT_TRUE(eventually([&] {
        const auto unsafe = doctor(group.url(), {"--json", "--no-trial"});
        return unsafe.code == danger &&
               has_line(unsafe.out, {field("check", "sentinel"), "could not start a failover"});
    }));
}

TEST_F(cli_doctor, says_what_could_not_be_checked_where_the_acl_forbids_it) {
    redis_server server{{.arguments = safe_settings}};
    server.command({"ACL", "SETUSER", "locks", "on", ">secret", "resetkeys", "~hf:*",
                    "resetchannels", "&hf:*", "+@all", "-config", "-slowlog", "-scan"});
    const auto end =
        doctor("redis://locks:secret@127.0.0.1:" + std::to_string(server.port()), {"--json"});
    EXPECT_EQ(end.code, warning) << end.out;
    EXPECT_TRUE(has_line(end.out, {field("check", "rights"), "CONFIG GET was refused"})) << end.out;
    EXPECT_TRUE(has_line(end.out, {field("check", "rights"), "SLOWLOG GET was refused"}))
        << end.out;
    EXPECT_TRUE(has_line(end.out, {field("check", "rights"), "SCAN was refused"})) << end.out;
}

TEST_F(cli_doctor, names_a_right_that_locks_need_and_the_user_lacks) {
    redis_server server{{.arguments = safe_settings}};
    server.command(
        {"ACL", "SETUSER", "locks", "on", ">secret", "~hf:*", "&hf:*", "+@all", "-evalsha"});
    const auto end =
        doctor("redis://locks:secret@127.0.0.1:" + std::to_string(server.port()), {"--json"});
    EXPECT_EQ(end.code, danger);
    EXPECT_TRUE(has_line(end.out, {field("check", "trial"), field("severity", "danger"), "evalsha",
                                   "give the user the ACL rule"}))
        << end.out;
}

TEST_F(cli_doctor, says_to_wait_for_the_end_of_a_grace_period) {
    redis_server server;
    const auto end = doctor(server.url() + "?max_lease=30s", {"--json"});
    EXPECT_EQ(end.code, warning) << end.out;
    EXPECT_TRUE(has_line(end.out, {field("check", "trial"), field("severity", "warning"),
                                   "grants nothing new for", "wait that long"}))
        << end.out;
    const auto advice = doctor(server.url(), {"--json", "--no-trial"});
    EXPECT_TRUE(has_line(advice.out, {field("check", "persistence"), "max_lease=30s",
                                      "once when it is first used", "longer lease is refused"}))
        << advice.out;
}

TEST_F(cli_doctor, names_replicas_that_a_server_without_any_waits_for) {
    auto arguments = safe_settings;
    arguments.insert(arguments.end(), {"--min-replicas-to-write", "1"});
    redis_server server{{.arguments = arguments}};
    const auto end = doctor(server.url(), {"--json"});
    EXPECT_EQ(end.code, danger) << end.out;
    EXPECT_TRUE(has_line(end.out, {field("check", "min-replicas"), field("severity", "danger"),
                                   "it has 0 replicas"}))
        << end.out;
    EXPECT_TRUE(has_line(end.out, {field("check", "trial"), field("severity", "danger"),
                                   "start the missing replicas, or lower min-replicas-to-write"}))
        << end.out;
}

TEST_F(cli_doctor, says_that_a_port_without_tls_may_not_speak_it) {
    redis_server server;
    const auto end = doctor("rediss://127.0.0.1:" + std::to_string(server.port()), {"--json"});
    EXPECT_EQ(end.code, danger);
    EXPECT_TRUE(has_line(end.out, {field("check", "reach"), "if this port does not speak TLS"}))
        << end.out;
}

TEST_F(cli_doctor, names_foreign_keys_leftover_keys_and_slow_scripts) {
    redis_server server{{.arguments = safe_settings}};
    server.command({"SET", "hf:session:1", "x"});
    server.command({"SET", "hf:{stock}", "x"}); // without an expiry
    server.command({"EVAL", "local n = 0 for i = 1, 100000000 do n = n + i end return n", "0"});
    const auto end = doctor(server.url(), {"--json"});
    EXPECT_GE(end.code, warning) << end.out;
    EXPECT_TRUE(has_line(end.out, {field("check", "keys"), "hf:session:1", "prefix="})) << end.out;
    EXPECT_TRUE(has_line(end.out, {field("check", "keys"), "hf:{stock}", "never expire"}))
        << end.out;
    EXPECT_TRUE(has_line(end.out, {field("check", "scripts"), "EVAL", "SLOWLOG"})) << end.out;
}

TEST_F(cli_doctor, says_that_a_server_does_not_answer) {
    redis_server server;
    server.pause();
    const auto end = doctor(server.url(), {"--json", "--connect-wait", "300ms"});
    EXPECT_EQ(end.code, danger);
    EXPECT_TRUE(has_line(end.out, {field("check", "reach"), "no answer within 300 ms"})) << end.out;
}

#endif

} // namespace

} // namespace holdfast::test
