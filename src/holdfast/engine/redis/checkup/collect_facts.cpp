#include "holdfast/engine/redis/checkup/collect_facts.hpp"

#include "holdfast/engine/redis/checkup/probe.hpp"
#include "holdfast/engine/redis/protocol/wire_text.hpp"

#include <algorithm>

namespace holdfast::engine::redis {

namespace {

constexpr unsigned max_scans = 50; // of about 1000 keys each
constexpr std::size_t max_examined = 1'000;

command_words hello_words(const std::string& user, const std::string& password) {
    if (user.empty() && password.empty()) { return {"HELLO", "2"}; }
    return {"HELLO", "2", "AUTH", user.empty() ? "default" : user, password};
}

std::string error_text(const reply& reply) {
    return reply.is_error() ? std::string{reply.text()} : std::string{};
}

/// The best of three round trips: the shortest measures the clock most exactly.
void measure_clock(probe& probe, server_facts& out) {
    for (int round = 0; round < 3; ++round) {
        const auto sent = base::system_time().wall_us();
        const auto replies = probe.ask({{"TIME"}});
        const auto received = base::system_time().wall_us();
        if (replies.empty()) { return; }
        out.trouble = error_text(replies[0].view());
        const auto clock = read_time(replies[0].view(), out.address, sent, received);
        if (clock && (!out.clock || clock->uncertainty < out.clock->uncertainty)) {
            out.clock = clock;
        }
    }
}

void read_settings(probe& probe, server_facts& out) {
    const auto replies = probe.ask({
        {"INFO"},
        {"CONFIG", "GET", "maxmemory", "maxmemory-policy", "appendonly", "appendfsync", "save",
         "min-replicas-to-write"},
        {"SLOWLOG", "GET", "128"},
        {"CLUSTER", "INFO"},
        {"CLUSTER", "NODES"},
    });
    if (replies.size() != 5) { return; }
    out.info = read_text(replies[0].view());
    out.info_error = error_text(replies[0].view());
    out.config = read_pairs(replies[1].view());
    out.config_error = error_text(replies[1].view());
    if (replies[2].view().is_array()) { out.slow_scripts = read_slow_scripts(replies[2].view()); }
    if (!replies[3].view().is_error()) { out.cluster_info = replies[3].view().text(); }
    if (!replies[4].view().is_error()) { out.cluster_nodes = replies[4].view().text(); }
}

/// Which of the keys of locks never expire.
void find_eternal(probe& probe, const std::vector<std::string>& lock_keys, key_facts& out) {
    std::vector<command_words> commands;
    commands.reserve(lock_keys.size());
    for (const auto& key : lock_keys) { commands.push_back({"PTTL", key}); }
    const auto replies = probe.ask(commands);
    for (std::size_t at = 0; at < replies.size(); ++at) {
        if (replies[at].view().is_integer() && replies[at].view().integer() == -1) {
            if (out.eternal++ == 0) { out.eternal_example = lock_keys[at]; }
        }
    }
}

std::optional<key_facts> scan_keys(probe& probe, const std::string& prefix) {
    key_facts out;
    std::vector<std::string> lock_keys;
    std::string cursor = "0";
    for (unsigned scans = 0; scans < max_scans; ++scans) {
        const auto replies =
            probe.ask({{"SCAN", cursor, "MATCH", literally(prefix) + "*", "COUNT", "1000"}});
        if (replies.empty() || replies[0].view().size() != 2) { return std::nullopt; }
        const auto page = replies[0].view()[1];
        for (std::size_t at = 0; at < page.size(); ++at) {
            const auto key = page.word(at);
            ++out.seen;
            if (is_lock_key(key, prefix)) {
                if (lock_keys.size() < max_examined) { lock_keys.emplace_back(key); }
            } else if (!is_our_key(key, prefix) && out.foreign++ == 0) {
                out.foreign_example = key;
            }
        }
        cursor = replies[0].view().word(0);
        if (cursor == "0") { break; }
    }
    out.all_seen = cursor == "0";
    find_eternal(probe, lock_keys, out);
    return out;
}

void read_node_record(probe& probe, const std::string& prefix, server_facts& out) {
    const auto replies = probe.ask({{"GET", prefix + "node"}});
    if (replies.empty() || replies[0].view().is_null()) { return; }
    out.node_record = replies[0].view().is_text() ? std::string{replies[0].view().text()} : "";
}

} // namespace

server_facts collect_facts(const net::endpoint& server, const options& options,
                           base::milliseconds timeout) {
    server_facts out;
    out.address = server.text();
    probe probe{server, timeout};
    const auto hello = probe.ask({hello_words(options.user, options.password)});
    out.failure = probe.failure();
    if (hello.empty()) { return out; }
    read_hello(hello[0].view(), out);
    if (!out.refusal.empty()) { return out; }
    measure_clock(probe, out);
    read_settings(probe, out);
    if (options.database != 0) { (void)probe.ask({{"SELECT", std::to_string(options.database)}}); }
    if (out.mode != "sentinel") {
        out.keys = scan_keys(probe, options.prefix);
        if (out.mode == "standalone") { read_node_record(probe, options.prefix, out); }
    }
    out.failure = probe.failure(); // it may have hung in the middle
    return out;
}

sentinel_view ask_sentinel(const net::endpoint& sentinel, const options& options,
                           base::milliseconds timeout) {
    sentinel_view out;
    out.address = sentinel.text();
    probe probe{sentinel, timeout};
    const auto& terms = *options.sentinel;
    const auto replies = probe.ask({hello_words(terms.user, terms.password),
                                    {"SENTINEL", "MASTER", terms.master},
                                    {"SENTINEL", "REPLICAS", terms.master},
                                    {"SENTINEL", "CKQUORUM", terms.master}});
    if (replies.size() != 4) {
        out.failure = probe.failure();
        return out;
    }
    server_facts hello;
    read_hello(replies[0].view(), hello);
    if (!hello.refusal.empty() || hello.mode != "sentinel") {
        out.failure = hello.refusal.empty() ? "it is no sentinel" : hello.refusal;
        out.is_login = !hello.refusal.empty();
        return out;
    }
    read_master(replies[1].view(), out);
    out.replicas = read_replicas(replies[2].view());
    out.quorum_error = error_text(replies[3].view());
    return out;
}

} // namespace holdfast::engine::redis
