// The judgments of the doctor about Redis servers, as tables: facts in, severity and remedy out.

#include "holdfast/engine/redis/checkup/judgments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::engine::redis {

namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

server_facts good_facts() {
    server_facts out;
    out.address = "locks:6379";
    out.product = "redis";
    out.version = "7.0.15";
    out.mode = "standalone";
    out.role = "master";
    out.info = "\n# Server\r\nrun_id:0123456789abcdefffff\r\nmaxmemory:0\r\nused_memory:1000\r\n"
               "connected_slaves:0\r\n";
    out.config = {{"maxmemory", "0"},    {"maxmemory-policy", "noeviction"},
                  {"appendonly", "yes"}, {"appendfsync", "always"},
                  {"save", "3600 1"},    {"min-replicas-to-write", "0"}};
    out.slow_scripts.emplace();
    out.keys.emplace();
    return out;
}

/// The finding of a check; a danger, warning or ok that a test names by its severity.
const finding* find(const checkup& result, std::string_view check) {
    for (const auto& each : result.findings) {
        if (each.check == check) { return &each; }
    }
    return nullptr;
}

/// The replies in these bytes of RESP.
std::vector<kept_reply> parse(std::string_view bytes) {
    reply_reader reader;
    std::vector<kept_reply> out;
    EXPECT_TRUE(reader.read(bytes, [&](const reply& reply) { out.emplace_back(reply); }));
    return out;
}

struct memory_case {
    const char* policy;
    const char* limit;
    severity expected;
};

TEST(doctor, judges_eviction_by_policy_and_limit) {
    for (const auto& [policy, limit, expected] :
         std::vector<memory_case>{{"noeviction", "0", severity::ok},
                                  {"noeviction", "100000", severity::ok},
                                  {"allkeys-lru", "100000", severity::danger},
                                  {"volatile-ttl", "100000", severity::danger},
                                  {"allkeys-lru", "0", severity::warning}}) {
        auto facts = good_facts();
        facts.config["maxmemory-policy"] = policy;
        facts.config["maxmemory"] = limit;
        checkup out;
        judge_memory(facts, out);
        const auto* const found = find(out, "eviction");
        ASSERT_NE(found, nullptr);
        EXPECT_EQ(found->severity, expected) << policy << ' ' << limit;
        if (expected != severity::ok) { EXPECT_THAT(found->remedy, HasSubstr("noeviction")); }
    }
}

TEST(doctor, sees_the_eviction_policy_in_info_where_config_is_forbidden) {
    auto facts = good_facts();
    facts.config.clear();
    facts.info += "maxmemory_policy:allkeys-lfu\r\n";
    checkup out;
    judge_memory(facts, out);
    EXPECT_EQ(find(out, "eviction")->severity, severity::warning);
    judge_rights(facts, out);
    EXPECT_THAT(find(out, "rights")->text, HasSubstr("could not be checked: CONFIG GET"));
}

TEST(doctor, warns_of_a_server_that_is_almost_full) {
    auto facts = good_facts();
    facts.config["maxmemory"] = "1050";
    checkup out;
    judge_memory(facts, out);
    EXPECT_EQ(find(out, "memory")->severity, severity::warning);
}

struct persistence_case {
    const char* appendonly;
    const char* appendfsync;
    const char* save;
    deployment kind;
    bool max_lease;
    severity expected;
};

TEST(doctor, judges_persistence_against_the_safety_that_the_url_chooses) {
    for (const auto& each : std::vector<persistence_case>{
             {"yes", "always", "", deployment::standalone, false, severity::ok},
             {"yes", "everysec", "", deployment::standalone, false, severity::warning},
             {"no", "everysec", "3600 1", deployment::standalone, false, severity::danger},
             {"no", "everysec", "", deployment::standalone, false, severity::danger},
             {"no", "everysec", "", deployment::standalone, true, severity::ok},
             {"no", "everysec", "", deployment::quorum_node, false, severity::ok}}) {
        auto facts = good_facts();
        facts.config["appendonly"] = each.appendonly;
        facts.config["appendfsync"] = each.appendfsync;
        facts.config["save"] = each.save;
        checkup out;
        judge_persistence(facts, {.deployment = each.kind, .max_lease = each.max_lease}, out);
        ASSERT_THAT(out.findings, SizeIs(1));
        EXPECT_EQ(out.findings[0].severity, each.expected) << each.appendonly << each.save;
    }
}

TEST(doctor, says_when_the_disk_of_a_server_fails) {
    auto facts = good_facts();
    facts.info += "rdb_last_bgsave_status:err\r\n";
    checkup out;
    judge_persistence(facts, {}, out);
    EXPECT_EQ(worst_of(out.findings), severity::danger);
}

struct replica_case {
    deployment kind;
    unsigned wanted;
    bool max_lease;
    const char* connected;
    const char* least;
    severity expected;
};

TEST(doctor, judges_replicas_against_what_the_url_demands) {
    for (const auto& each :
         std::vector<replica_case>{{deployment::standalone, 0, false, "0", "0", severity::ok},
                                   {deployment::standalone, 1, false, "0", "0", severity::danger},
                                   {deployment::standalone, 0, false, "1", "1", severity::warning},
                                   {deployment::sentinel, 1, true, "2", "1", severity::ok},
                                   {deployment::sentinel, 1, true, "2", "0", severity::warning},
                                   {deployment::sentinel, 1, true, "1", "2", severity::danger},
                                   {deployment::cluster, 0, false, "1", "1", severity::warning},
                                   {deployment::cluster, 1, false, "1", "1", severity::ok},
                                   {deployment::quorum_node, 0, false, "1", "0", severity::warning},
                                   {deployment::quorum_node, 0, false, "0", "0", severity::ok}}) {
        auto facts = good_facts();
        facts.info = std::string{"\nconnected_slaves:"} + each.connected + "\r\n";
        facts.config["min-replicas-to-write"] = each.least;
        checkup out;
        judge_replication(
            facts, {.deployment = each.kind, .replicas = each.wanted, .max_lease = each.max_lease},
            out);
        EXPECT_EQ(worst_of(out.findings), each.expected)
            << static_cast<int>(each.kind) << ' ' << each.connected << ' ' << each.least;
    }
}

TEST(doctor, names_what_was_addressed_by_mistake) {
    struct identity_case {
        const char* mode;
        const char* role;
        deployment kind;
        const char* remedy; ///< empty: all is well
    };
    for (const auto& each : std::vector<identity_case>{
             {"standalone", "master", deployment::standalone, ""},
             {"standalone", "replica", deployment::standalone, "of the master"},
             {"cluster", "master", deployment::standalone, "redis+cluster://"},
             {"sentinel", "master", deployment::standalone, "redis+sentinel://"},
             {"cluster", "replica", deployment::cluster, ""},
             {"standalone", "master", deployment::cluster, "redis://"}}) {
        auto facts = good_facts();
        facts.mode = each.mode;
        facts.role = each.role;
        checkup out;
        const bool good = judge_identity(facts, {.deployment = each.kind}, out);
        EXPECT_EQ(good, *each.remedy == '\0') << each.mode;
        if (!good) { EXPECT_THAT(find(out, "role")->remedy, HasSubstr(each.remedy)); }
    }
}

TEST(doctor, rejects_a_server_that_is_too_old) {
    auto facts = good_facts();
    facts.version = "6.2.6";
    checkup out;
    EXPECT_FALSE(judge_identity(facts, {}, out));
    EXPECT_THAT(find(out, "version")->remedy, HasSubstr("7.0"));
}

TEST(doctor, tells_a_refused_password_from_a_server_that_is_away) {
    auto refused = good_facts();
    refused.refusal = "WRONGPASS invalid username-password pair or user is disabled.";
    auto away = good_facts();
    away.failure = "connection refused";
    auto without = good_facts();
    without.refusal = "NOAUTH HELLO must be called with the client already authenticated";
    checkup out;
    EXPECT_FALSE(judge_access(without, {}, out));
    EXPECT_THAT(find(out, "login")->text,
                HasSubstr("the server requires a password, and the URL has none"));
    out = {};
    EXPECT_FALSE(judge_access(refused, {}, out));
    EXPECT_FALSE(judge_access(away, {}, out));
    EXPECT_THAT(find(out, "login")->remedy, HasSubstr("correct the user and password"));
    EXPECT_THAT(find(out, "reach")->remedy, HasSubstr("start the server"));
}

TEST(doctor, says_of_another_service_that_it_was_reached) {
    auto other = good_facts();
    other.failure = "it sent bytes that are not the Redis protocol";
    checkup out;
    EXPECT_FALSE(judge_access(other, {}, out));
    EXPECT_THAT(find(out, "reach")->text, HasSubstr("the server was reached, but is no Redis"));
    EXPECT_THAT(find(out, "reach")->remedy, HasSubstr("correct the host and port"));
}

TEST(doctor, says_that_a_port_may_not_speak_tls) {
    auto plain = good_facts();
    plain.failure = "TLS handshake failed: wrong version number";
    checkup out;
    EXPECT_FALSE(judge_access(plain, {}, out));
    EXPECT_THAT(find(out, "reach")->remedy, HasSubstr("if this port does not speak TLS"));
}

TEST(doctor, warns_of_a_password_that_crosses_a_network_in_the_clear) {
    checkup out;
    judge_privacy({.host = "127.0.0.1", .port = 6379}, true, out);
    EXPECT_EQ(worst_of(out.findings), severity::ok);
    judge_privacy({.host = "locks", .port = 6379}, true, out);
    EXPECT_EQ(worst_of(out.findings), severity::warning);
    checkup unverified;
    judge_privacy({.host = "locks", .port = 6379, .tls = net::tls_options{.verify = false}}, true,
                  unverified);
    EXPECT_THAT(find(unverified, "tls")->remedy, HasSubstr("remove verify=no"));
}

TEST(doctor, judges_scripts_by_how_long_they_block_the_server) {
    for (const auto& [took, expected] : std::vector<std::pair<int, severity>>{
             {20'000, severity::ok}, {90'000, severity::warning}, {3'000'000, severity::danger}}) {
        auto facts = good_facts();
        facts.slow_scripts = std::vector<slow_script>{{std::chrono::microseconds{took}, "EVALSHA"}};
        checkup out;
        judge_scripts(facts, out);
        EXPECT_EQ(worst_of(out.findings), expected) << took;
    }
}

TEST(doctor, reads_scripts_and_nothing_else_from_a_slow_log) {
    const auto replies =
        parse("*3\r\n"
              "*4\r\n:1\r\n:1700000000\r\n:70000\r\n*2\r\n$7\r\nevalsha\r\n$1\r\nx\r\n"
              "*4\r\n:2\r\n:1700000000\r\n:90000\r\n*1\r\n$4\r\nKEYS\r\n"
              "*1\r\n:3\r\n");
    const auto found = read_slow_scripts(replies.at(0).view());
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].took, std::chrono::microseconds{70'000});
}

TEST(doctor, knows_its_own_keys) {
    for (const char* const ours : {"hf:{stock}", "hf:{stock}:q", "hf:{a%7db}:l", "hf:mark",
                                   "hf:mark:{123}", "hf:ack:{5}", "hf:node", "hf:run"}) {
        EXPECT_TRUE(is_our_key(ours, "hf:")) << ours;
    }
    for (const char* const foreign : {"hf:stock", "hf:{}", "hf:{stock}:z", "hf:mark:{x}",
                                      "hf:marker", "hf:{stock}:", "other:{stock}"}) {
        EXPECT_FALSE(is_our_key(foreign, "hf:")) << foreign;
    }
    auto facts = good_facts();
    facts.keys = key_facts{.seen = 3, .foreign = 1, .foreign_example = "hf:session"};
    checkup out;
    judge_keys(facts, "hf:", out);
    EXPECT_THAT(find(out, "keys")->text, HasSubstr("hf:session"));
}

TEST(doctor, says_from_when_on_a_node_of_a_quorum_votes) {
    const auto record = [](const char* votes_from) {
        return "00000000000000aa00060000" + std::string{votes_from} + "0123456789abcdef";
    };
    const auto judge = [](std::optional<std::string> text) {
        auto facts = good_facts();
        facts.clock = clock_reading{"locks:6379", std::chrono::seconds{1}, {}};
        facts.node_record = std::move(text);
        checkup out;
        judge_vote(facts, 1'000'000'000'000'000, out);
        return out.findings.at(0);
    };
    EXPECT_THAT(judge(record("1000000000000000")).text, "it votes");
    EXPECT_THAT(judge(record("1000000006000000")).text, HasSubstr("votes again in 6 s"));
    auto restarted = record("1000000000000000");
    restarted.replace(40, 1, "f");
    EXPECT_THAT(judge(restarted).text, HasSubstr("was restarted"));
    EXPECT_EQ(judge("something else").severity, severity::danger);
    EXPECT_EQ(judge(std::nullopt).severity, severity::ok);
}

TEST(doctor, judges_clocks_by_what_they_are_used_for) {
    using std::chrono::milliseconds;
    const auto worst = [](clock_use use, std::vector<milliseconds> offsets) {
        std::vector<clock_reading> clocks;
        for (const auto offset : offsets) { clocks.push_back({"node", offset, milliseconds{1}}); }
        checkup out;
        judge_clocks(clocks, use, out);
        return worst_of(out.findings);
    };
    EXPECT_EQ(worst(clock_use::tokens, {milliseconds{900}}), severity::ok);
    EXPECT_EQ(worst(clock_use::tokens, {milliseconds{30'000}}), severity::warning);
    EXPECT_EQ(worst(clock_use::votes, {milliseconds{-31'000}}), severity::danger);
    EXPECT_EQ(worst(clock_use::votes, {milliseconds{0}, milliseconds{-500}}), severity::warning);
    EXPECT_EQ(worst(clock_use::deadlines, {milliseconds{0}, milliseconds{50}}), severity::ok);
    EXPECT_EQ(worst(clock_use::deadlines, {milliseconds{-300}, milliseconds{100}}),
              severity::warning);
    EXPECT_EQ(worst(clock_use::deadlines, {milliseconds{0}, milliseconds{30'000}}),
              severity::danger);
}

TEST(doctor, measures_a_clock_from_the_middle_of_the_round_trip) {
    const auto replies = parse("*2\r\n$10\r\n1700000030\r\n$6\r\n000500\r\n*1\r\n$1\r\n1\r\n");
    const auto clock =
        read_time(replies.at(0).view(), "locks", 1'700'000'000'000'000, 1'700'000'000'001'000);
    ASSERT_TRUE(clock);
    EXPECT_EQ(clock->ahead, std::chrono::seconds{30});
    EXPECT_FALSE(read_time(replies.at(1).view(), "locks", 0, 1));
}

constexpr const char* healthy_nodes =
    "aa 10.0.0.1:7000@17000 myself,master - 0 0 1 connected 0-8191\n"
    "bb 10.0.0.2:7000@17000,host master - 0 0 2 connected 8192-16383\n"
    "cc 10.0.0.3:7000@17000 slave aa 0 0 1 connected\n"
    "dd 10.0.0.4:7000@17000 slave bb 0 0 2 connected\n";

TEST(doctor, finds_nothing_wrong_with_a_healthy_cluster) {
    const auto view = read_cluster("cluster_state:ok\r\n", healthy_nodes, "10.0.0.1");
    EXPECT_THAT(view.members, SizeIs(4));
    EXPECT_EQ(view.covered, 16'384U);
    checkup out;
    judge_cluster(good_facts(), view, out);
    EXPECT_EQ(worst_of(out.findings), severity::ok);
}

TEST(doctor, names_failed_nodes_uncovered_slots_and_open_slots_of_a_cluster) {
    const auto view =
        read_cluster("cluster_state:fail\r\n",
                     "aa :7000@17000 myself,master - 0 0 1 connected 0-8191 [5->-bb]\n"
                     "bb 10.0.0.2:7000@17000 master,fail - 0 0 2 disconnected 8192-16383\n"
                     "cc 10.0.0.3:7000@17000 slave,fail? aa 0 0 1 disconnected\n"
                     "garbage\n",
                     "10.0.0.1");
    EXPECT_EQ(view.members.at(0).address.text(), "10.0.0.1:7000");
    checkup out;
    judge_cluster(good_facts(), view, out);
    std::string all;
    for (const auto& each : out.findings) { all += each.subject + ' ' + each.text + '\n'; }
    EXPECT_THAT(all, HasSubstr("8192 of 16384 slots have no master"));
    EXPECT_THAT(all, HasSubstr("cluster_state is fail"));
    EXPECT_THAT(all, HasSubstr("10.0.0.2:7000 the master has failed"));
    EXPECT_THAT(all, HasSubstr("10.0.0.3:7000 locks:6379 has no link to the replica"));
    EXPECT_THAT(all, HasSubstr("1 slots are being moved"));
}

TEST(doctor, warns_of_masters_without_a_replica) {
    const auto view = read_cluster(
        "cluster_state:ok\n", "aa 10.0.0.1:7000@17000 myself,master - 0 0 1 connected 0-16383\n",
        "10.0.0.1");
    checkup out;
    judge_cluster(good_facts(), view, out);
    EXPECT_THAT(find(out, "cluster-node")->remedy, HasSubstr("add a replica"));
}

sentinel_view good_sentinel(const char* address) {
    sentinel_view out;
    out.address = address;
    out.knows_it = true;
    out.master = {{"10.0.0.9", 6379}, "master", false};
    out.others = 2;
    out.replicas = {{{"10.0.0.8", 6379}, "slave", false}};
    return out;
}

TEST(doctor, judges_sentinels_one_by_one_and_together) {
    checkup good;
    judge_sentinels({good_sentinel("s1"), good_sentinel("s2"), good_sentinel("s3")}, "mymaster",
                    good);
    EXPECT_EQ(worst_of(good.findings), severity::ok);

    const auto worst = [](auto change) {
        auto changed = good_sentinel("s2");
        change(changed);
        checkup out;
        judge_sentinels({good_sentinel("s1"), changed}, "mymaster", out);
        return worst_of(out.findings);
    };
    EXPECT_EQ(worst([](auto& view) { view = {.address = "s2", .failure = "connection refused"}; }),
              severity::warning);
    EXPECT_EQ(worst([](auto& view) { view.knows_it = false; }), severity::danger);
    EXPECT_EQ(worst([](auto& view) { view.quorum_error = "NOQUORUM"; }), severity::danger);
    EXPECT_EQ(worst([](auto& view) { view.master.address.port = 6380; }), severity::danger);
    EXPECT_EQ(worst([](auto& view) { view.master.is_down = true; }), severity::danger);
    checkup none;
    judge_sentinels({}, "mymaster", none);
    EXPECT_EQ(worst_of(none.findings), severity::danger);
}

TEST(doctor, reads_what_a_sentinel_says) {
    const auto replies = parse("*10\r\n$2\r\nip\r\n$8\r\n10.0.0.9\r\n$4\r\nport\r\n$4\r\n6379\r\n"
                               "$5\r\nflags\r\n$13\r\nmaster,s_down\r\n$12\r\nconfig-epoch\r\n"
                               "$1\r\n7\r\n$19\r\nnum-other-sentinels\r\n$1\r\n2\r\n"
                               "-ERR No such master with that name\r\n");
    sentinel_view view;
    read_master(replies.at(0).view(), view);
    EXPECT_TRUE(view.knows_it);
    EXPECT_TRUE(view.master.is_down);
    EXPECT_EQ(view.epoch, 7U);
    EXPECT_EQ(view.others, 2U);
    sentinel_view ignorant;
    read_master(replies.at(1).view(), ignorant);
    EXPECT_FALSE(ignorant.knows_it);
    EXPECT_THAT(read_replicas(replies.at(1).view()), IsEmpty());
}

} // namespace

} // namespace holdfast::engine::redis
