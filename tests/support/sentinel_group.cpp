#include "support/sentinel_group.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace holdfast::test {

namespace {

constexpr const char* address = "127.0.0.1";

redis_server_options server_options(const sentinel_group_options& options,
                                    const redis_server* master) {
    redis_server_options out;
    out.arguments = {"--repl-diskless-sync-delay", "0", "--repl-timeout", "10"};
    const auto add = [&](std::initializer_list<std::string> words) {
        out.arguments.insert(out.arguments.end(), words);
    };
    if (!options.password.empty()) { add({"--masterauth", options.password}); }
    if (options.tls) { add({"--tls-replication", "yes"}); }
    if (master != nullptr) { add({"--replicaof", address, std::to_string(master->port())}); }
    out.arguments.insert(out.arguments.end(), options.server_arguments.begin(),
                         options.server_arguments.end());
    out.password = options.password;
    out.tls = options.tls;
    out.adjustable_clock = options.adjustable_clock;
    return out;
}

bool runs(const redis_server& server) { return server.pid() != 0; }

/// The port that a sentinel names; 0: none.
int master_port(redis_server& sentinel) {
    const auto named = sentinel.command({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", "mymaster"});
    return named.is_nil() ? 0 : std::stoi(named.items().at(1).string());
}

} // namespace

std::string role_of(redis_server& server) {
    try {
        return server.command({"ROLE"}).items().at(0).string();
    } catch (const std::runtime_error&) { return {}; }
}

std::string value_of(const redis_reply& map, std::string_view key) {
    const auto& words = map.items();
    for (std::size_t at = 0; at + 1 < words.size(); at += 2) {
        if (words[at].string() == key) { return words[at + 1].string(); }
    }
    return {};
}

sentinel_group::sentinel_group(sentinel_group_options options) : options_{std::move(options)} {
    servers.emplace_back(server_options(options_, nullptr));
    for (unsigned at = 0; at < options_.replicas; ++at) {
        servers.emplace_back(server_options(options_, &servers.front()));
    }
    for (unsigned at = 0; at < options_.sentinels; ++at) {
        redis_server_options sentinel;
        sentinel.arguments = {"--sentinel"};
        if (options_.tls) {
            sentinel.arguments.insert(sentinel.arguments.end(), {"--tls-replication", "yes"});
            sentinel.tls = options_.tls;
        }
        sentinel.config = config();
        sentinel.password = options_.sentinel_password;
        sentinels.emplace_back(std::move(sentinel));
    }
    introduce_sentinels();
    if (options_.replicas > 0 && !has_replicas(options_.replicas)) {
        throw std::runtime_error{"no replicas; the log of the master:\n" + servers.front().log()};
    }
    for (auto& sentinel : sentinels) {
        if (!eventually([&] { return is_complete(sentinel); })) {
            throw std::runtime_error{"a sentinel does not find all; its log:\n" + sentinel.log()};
        }
    }
}

std::string sentinel_group::config() const {
    const auto quorum = std::to_string(options_.sentinels / 2 + 1);
    std::string out = "sentinel monitor mymaster " + std::string{address} + ' ' +
                      std::to_string(servers.front().port()) + ' ' + quorum + '\n';
    out += "sentinel down-after-milliseconds mymaster " +
           std::to_string(options_.down_after.count()) + '\n';
    // A sentinel begins no second failover within twice this time.
    out += "sentinel failover-timeout mymaster 1000\n";
    out += "sentinel parallel-syncs mymaster 2\n";
    if (!options_.password.empty()) {
        out += "sentinel auth-pass mymaster " + options_.password + '\n';
    }
    if (!options_.sentinel_password.empty()) {
        out += "sentinel sentinel-pass " + options_.sentinel_password + '\n';
    }
    return out;
}

/// Sentinels hear of each other by messages on the master, every two seconds. This is faster: a
/// sentinel takes such a message also from a client.
void sentinel_group::introduce_sentinels() {
    for (auto& from : sentinels) {
        const auto hello = std::string{address} + ',' + std::to_string(from.port()) + ',' +
                           from.command({"SENTINEL", "MYID"}).string() + ",0,mymaster," + address +
                           ',' + std::to_string(servers.front().port()) + ",0";
        for (auto& to : sentinels) {
            if (&to != &from) { to.command({"PUBLISH", "__sentinel__:hello", hello}); }
        }
    }
}

bool sentinel_group::is_complete(redis_server& sentinel) {
    const auto master = sentinel.command({"SENTINEL", "MASTER", "mymaster"});
    if (value_of(master, "num-other-sentinels") != std::to_string(options_.sentinels - 1) ||
        value_of(master, "num-slaves") != std::to_string(options_.replicas) ||
        value_of(master, "flags") != "master") {
        return false;
    }
    const auto replicas = sentinel.command({"SENTINEL", "REPLICAS", "mymaster"});
    return std::ranges::all_of(replicas.items(), [](const redis_reply& replica) {
        return value_of(replica, "flags") == "slave" &&
               value_of(replica, "master-link-status") == "ok";
    });
}

std::string sentinel_group::url(const std::string& query) const {
    std::string hosts;
    for (const auto& sentinel : sentinels) {
        hosts += (hosts.empty() ? "" : ",") + (address + (':' + std::to_string(sentinel.port())));
    }
    const auto user = options_.password.empty() ? "" : ':' + options_.password + '@';
    return (options_.tls ? "rediss+sentinel://" : "redis+sentinel://") + user + hosts +
           "/mymaster" + query;
}

redis_server& sentinel_group::master() {
    const auto sentinel = std::ranges::find_if(sentinels, runs);
    if (sentinel == sentinels.end()) { throw std::runtime_error{"no sentinel runs"}; }
    const auto port = master_port(*sentinel);
    const auto found = std::ranges::find(servers, port, &redis_server::port);
    if (found == servers.end()) { throw std::runtime_error{"a sentinel names a strange master"}; }
    return *found;
}

void sentinel_group::begin_fail_over() {
    const auto sentinel = std::ranges::find_if(sentinels, runs);
    std::string reply;
    // NOGOODSLAVE while it has not heard of its replicas since the last failover, INPROG during
    // one.
    const bool begun = eventually([&] {
        reply = sentinel->command({"SENTINEL", "FAILOVER", "mymaster"}).text();
        if (reply != "OK") { std::this_thread::sleep_for(20ms); }
        return reply == "OK";
    });
    if (!begun) { throw std::runtime_error{"SENTINEL FAILOVER: " + reply}; }
}

bool sentinel_group::moves_from(const redis_server& former) {
    // Sentinels on a busy disk may need a second election.
    constexpr auto patience = 3 * long_wait;
    return eventually(
        [&] {
            for (auto& sentinel : sentinels) {
                if (runs(sentinel) && master_port(sentinel) == former.port()) { return false; }
            }
            return role_of(master()) == "master";
        },
        patience);
}

bool sentinel_group::has_replicas(unsigned count) {
    return eventually([&] {
        if (role_of(master()) != "master") { return false; }
        const auto text = master().command({"INFO", "replication"}).string();
        unsigned online = 0;
        for (auto at = text.find("state=online"); at != std::string::npos;
             at = text.find("state=online", at + 1)) {
            ++online;
        }
        return online >= count;
    });
}

} // namespace holdfast::test
