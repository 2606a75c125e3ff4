#include "support/cluster_group.hpp"

#include "support/sentinel_group.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace holdfast::test {

namespace {

constexpr const char* address = "127.0.0.1";

bool runs(const redis_server& node) { return node.pid() != 0; }

/// Runs a command that must not fail.
redis_reply must(redis_server& node, const std::vector<std::string>& command_words) {
    auto reply = node.command(command_words);
    if (reply.is_error()) {
        std::string text;
        for (const auto& word : command_words) { text += word + ' '; }
        throw std::runtime_error{text + "-> " + reply.text() + "; the log:\n" + node.log()};
    }
    return reply;
}

std::string field_of(const std::string& text, std::string_view name) {
    const auto key = "\n" + std::string{name} + ":";
    const auto at = ("\n" + text).find(key);
    if (at == std::string::npos) { return {}; }
    const auto from = at + key.size() - 1;
    return text.substr(from, text.find('\r', from) - from);
}

} // namespace

std::string cluster_info(redis_server& node, std::string_view field) {
    return runs(node) ? field_of(node.command({"CLUSTER", "INFO"}).string(), field) : "";
}

bool is_master(redis_server& node) { return role_of(node) == "master"; }

cluster_group::cluster_group(cluster_group_options options) : options_{std::move(options)} {
    start_nodes();
    introduce_nodes();
    assign_slots();
    attach_replicas();
    end_start_delay();
    if (!is_whole()) {
        throw std::runtime_error{"the cluster is not ok; a log:\n" + nodes.front().log()};
    }
    // Where nobody is replaced: the times of messages lie ahead then, and failures show later.
    if (options_.quick_start && options_.replicas == 0) {
        for (auto& node : nodes) { node.set_clock(0s); }
    }
    set_node_timeout(options_.node_timeout);
}

void cluster_group::set_node_timeout(milliseconds timeout) {
    for (auto& node : nodes) {
        must(node, {"CONFIG", "SET", "cluster-node-timeout", std::to_string(timeout.count())});
    }
}

void cluster_group::start_nodes() {
    redis_server_options each;
    each.arguments = {"--repl-diskless-sync-delay",
                      "0",
                      "--repl-ping-replica-period",
                      "1",
                      "--cluster-node-timeout",
                      "300", // nodes tell of slots twice as often
                      "--cluster-replica-validity-factor",
                      "0",
                      "--cluster-allow-replica-migration",
                      "no"};
    const auto add = [&](std::initializer_list<std::string> words) {
        each.arguments.insert(each.arguments.end(), words);
    };
    if (!options_.password.empty()) { add({"--masterauth", options_.password}); }
    if (options_.tls) { add({"--tls-replication", "yes", "--tls-cluster", "yes"}); }
    each.arguments.insert(each.arguments.end(), options_.server_arguments.begin(),
                          options_.server_arguments.end());
    each.password = options_.password;
    each.tls = options_.tls;
    each.cluster = true;
    each.adjustable_clock = options_.quick_start;
    const auto count = options_.masters * (1 + options_.replicas);
    for (unsigned at = 0; at < count; ++at) { nodes.emplace_back(each); }
}

/// Each node meets each other node: gossip alone would take seconds.
void cluster_group::introduce_nodes() {
    for (unsigned at = 0; at < options_.masters; ++at) {
        // Equal epochs of masters are settled one by one, with a pause each.
        must(nodes[at], {"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(at + 1)});
    }
    for (std::size_t at = 0; at < nodes.size(); ++at) {
        for (std::size_t other = at + 1; other < nodes.size(); ++other) {
            must(nodes[at], {"CLUSTER", "MEET", address, std::to_string(nodes[other].port()),
                             std::to_string(nodes[other].bus_port())});
        }
    }
}

void cluster_group::assign_slots() {
    for (unsigned at = 0; at < options_.masters; ++at) {
        const auto first = slot_count * at / options_.masters;
        const auto last = slot_count * (at + 1) / options_.masters - 1;
        must(nodes[at], {"CLUSTER", "ADDSLOTSRANGE", std::to_string(first), std::to_string(last)});
    }
}

bool cluster_group::knows_all(redis_server& node) const {
    const auto text = node.command({"CLUSTER", "NODES"}).string();
    return cluster_info(node, "cluster_known_nodes") == std::to_string(nodes.size()) &&
           cluster_info(node, "cluster_slots_assigned") == std::to_string(slot_count) &&
           text.find("handshake") == std::string::npos &&
           text.find("disconnected") == std::string::npos;
}

void cluster_group::attach_replicas() {
    if (!eventually([&] {
            return std::ranges::all_of(nodes, [&](redis_server& node) { return knows_all(node); });
        })) {
        throw std::runtime_error{"the nodes do not meet:\n" +
                                 nodes.front().command({"CLUSTER", "NODES"}).string()};
    }
    for (std::size_t at = options_.masters; at < nodes.size(); ++at) {
        auto& master = nodes[at % options_.masters];
        must(nodes[at], {"CLUSTER", "REPLICATE", must(master, {"CLUSTER", "MYID"}).string()});
    }
    for (std::size_t at = options_.masters; at < nodes.size(); ++at) {
        wait_for_replica(nodes[at % options_.masters], nodes[at]);
    }
}

/// A master helps in a failover only if it knows that this is its replica.
void cluster_group::wait_for_replica(redis_server& master, redis_server& replica) {
    const auto replica_id = must(replica, {"CLUSTER", "MYID"}).string();
    const auto master_id = must(master, {"CLUSTER", "MYID"}).string();
    if (!eventually([&] {
            const auto replicas = must(master, {"CLUSTER", "REPLICAS", master_id});
            return field_of(must(replica, {"INFO", "replication"}).string(),
                            "master_link_status") == "up" &&
                   std::ranges::any_of(replicas.items(), [&](const redis_reply& line) {
                       return line.string().starts_with(replica_id);
                   });
        })) {
        throw std::runtime_error{"a replica is not in sync; its log:\n" + replica.log()};
    }
}

/// A master serves nothing in its first two seconds, in case that it was replaced while it was
/// down.
void cluster_group::end_start_delay() {
    set_node_timeout(1min); // nobody is to look dead when the clock is stepped
    if (!options_.quick_start) { return; }
    for (auto& node : nodes) { node.set_clock(3s); }
}

std::string cluster_group::url(const std::string& query) const {
    std::string hosts;
    for (const auto& node : nodes) {
        hosts += (hosts.empty() ? "" : ",") + (address + (':' + std::to_string(node.port())));
    }
    const auto user = options_.password.empty() ? "" : ':' + options_.password + '@';
    return (options_.tls ? "rediss+cluster://" : "redis+cluster://") + user + hosts + query;
}

unsigned cluster_group::slot_of(const std::string& key) {
    const auto node = std::ranges::find_if(nodes, runs);
    return static_cast<unsigned>(must(*node, {"CLUSTER", "KEYSLOT", key}).number());
}

int cluster_group::owner_port(redis_server& node, unsigned slot) const {
    const auto ranges = must(node, {"CLUSTER", "SLOTS"});
    for (const auto& range : ranges.items()) {
        const auto& parts = range.items();
        if (parts[0].number() <= slot && slot <= parts[1].number()) {
            return static_cast<int>(parts[2].items().at(1).number());
        }
    }
    return 0;
}

redis_server& cluster_group::node_at(int port) {
    const auto found = std::ranges::find(nodes, port, &redis_server::port);
    if (found == nodes.end()) { throw std::runtime_error{"no node has this slot"}; }
    return *found;
}

redis_server& cluster_group::master_of_slot(unsigned slot) {
    // A node that owns the slot itself is right; the others may not know yet.
    for (auto& node : nodes) {
        if (runs(node) && is_master(node) && owner_port(node, slot) == node.port()) { return node; }
    }
    throw std::runtime_error{"no node has slot " + std::to_string(slot)};
}

redis_server& cluster_group::master_of(const std::string& key) {
    return master_of_slot(slot_of(key));
}

redis_server& cluster_group::replica_of(redis_server& master) {
    for (auto& node : nodes) {
        if (!runs(node) || &node == &master) { continue; }
        const auto role = node.command({"ROLE"});
        if (role.items().at(0).string() == "slave" &&
            role.items().at(2).number() == master.port()) {
            return node;
        }
    }
    throw std::runtime_error{"a master without a replica"};
}

redis_server& cluster_group::other_master(const redis_server& master) {
    const auto found = std::ranges::find_if(nodes, [&](redis_server& node) {
        return &node != &master && runs(node) && is_master(node);
    });
    if (found == nodes.end()) { throw std::runtime_error{"no other master"}; }
    return *found;
}

void cluster_group::begin_move(unsigned slot, redis_server& from, redis_server& to) {
    const auto number = std::to_string(slot);
    const auto source = must(from, {"CLUSTER", "MYID"}).string();
    const auto target = must(to, {"CLUSTER", "MYID"}).string();
    must(to, {"CLUSTER", "SETSLOT", number, "IMPORTING", source});
    must(from, {"CLUSTER", "SETSLOT", number, "MIGRATING", target});
}

void cluster_group::move_key(const std::string& key, redis_server& from, redis_server& to) {
    std::vector<std::string> words{"MIGRATE", address, std::to_string(to.port()), key, "0", "5000"};
    if (!options_.password.empty()) { words.insert(words.end(), {"AUTH", options_.password}); }
    must(from, words);
}

void cluster_group::move_keys(unsigned slot, redis_server& from, redis_server& to) {
    constexpr const char* batch = "100";
    while (true) {
        const auto keys = must(from, {"CLUSTER", "GETKEYSINSLOT", std::to_string(slot), batch});
        if (keys.items().empty()) { return; }
        for (const auto& key : keys.items()) { move_key(key.string(), from, to); }
    }
}

void cluster_group::finish_move(unsigned slot, redis_server& to) {
    const auto target = must(to, {"CLUSTER", "MYID"}).string();
    const std::vector<std::string> words{"CLUSTER", "SETSLOT", std::to_string(slot), "NODE",
                                         target};
    must(to, words);
    for (auto& node : nodes) {
        if (&node != &to && runs(node) && is_master(node)) { must(node, words); }
    }
    const auto epoch = [&] { return cluster_info(to, "cluster_current_epoch"); };
    if (!eventually([&] {
            return std::ranges::all_of(nodes, [&](redis_server& node) {
                return !runs(node) || (owner_port(node, slot) == to.port() &&
                                       cluster_info(node, "cluster_current_epoch") == epoch());
            });
        })) {
        throw std::runtime_error{"the nodes do not agree on slot " + std::to_string(slot)};
    }
}

void cluster_group::move_slot(unsigned slot, redis_server& to) {
    auto& from = master_of_slot(slot);
    if (&from == &to) { return; }
    begin_move(slot, from, to);
    move_keys(slot, from, to);
    finish_move(slot, to);
}

void cluster_group::fail_over(redis_server& master) {
    auto& next = replica_of(master);
    wait_for_replica(master, next);
    if (!eventually([&] { return agree_on_slots(); })) {
        throw std::runtime_error{"the nodes do not agree on the slots"};
    }
    must(next, {"CLUSTER", "FAILOVER"});
    if (!eventually([&] { return is_master(next) && !is_master(master); }) || !is_whole()) {
        throw std::runtime_error{"no failover; the log of the replica:\n" + next.log()};
    }
}

bool cluster_group::moves_from(const redis_server& former, unsigned slot) {
    return eventually([&] {
        return std::ranges::all_of(nodes, [&](redis_server& node) {
            if (!runs(node) || &node == &former) { return true; }
            const auto port = owner_port(node, slot);
            return port != 0 && port != former.port() &&
                   cluster_info(node, "cluster_state") == "ok";
        });
    });
}

bool cluster_group::agree_on_slots() {
    std::string first;
    return std::ranges::all_of(nodes, [&](redis_server& node) {
        if (!runs(node)) { return true; }
        std::vector<std::string> owners;
        const auto ranges = must(node, {"CLUSTER", "SLOTS"});
        for (const auto& range : ranges.items()) {
            const auto& parts = range.items();
            owners.push_back(parts[0].text() + '-' + parts[1].text() + ' ' +
                             parts[2].items().at(1).text() + '\n');
        }
        std::ranges::sort(owners);
        std::string all;
        for (const auto& line : owners) { all += line; }
        if (first.empty()) { first = all; }
        return all == first;
    });
}

bool cluster_group::is_whole() {
    return eventually([&] {
        return agree_on_slots() && std::ranges::all_of(nodes, [&](redis_server& node) {
                   if (!runs(node)) { return true; }
                   const auto info = must(node, {"INFO", "replication"}).string();
                   return cluster_info(node, "cluster_state") == "ok" &&
                          cluster_info(node, "cluster_slots_ok") == std::to_string(slot_count) &&
                          field_of(info, "master_link_status") != "down";
               });
    });
}

} // namespace holdfast::test
