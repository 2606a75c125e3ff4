#include "holdfast/engine/quorum/quorum.hpp"

#include "holdfast/engine/quorum/quorum_engine.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::engine::quorum {

namespace {

[[noreturn]] void refuse(const std::string& why) { throw error{errc::invalid_url, "URL: " + why}; }

/// The parts of a URL's authority, without empty ones.
std::vector<std::string> split_hosts(std::string_view authority) {
    std::vector<std::string> out;
    while (true) {
        const auto comma = std::min(authority.find(','), authority.size());
        const auto host = authority.substr(0, comma);
        if (host.empty()) {
            refuse("host: missing; write for example redlock://host1,host2,host3");
        }
        out.emplace_back(host);
        if (comma == authority.size()) { return out; }
        authority.remove_prefix(comma + 1);
    }
}

/// A host without a user of its own has the first one's.
void share_user(std::vector<std::string>& hosts) {
    const auto at = hosts.front().rfind('@');
    if (at == std::string::npos) { return; }
    const auto user = hosts.front().substr(0, at + 1);
    for (auto& host : hosts) {
        if (host.find('@') == std::string::npos) { host.insert(0, user); }
    }
}

/// What messages call a node: never its user or password, also where the URL is misspelt.
std::string label_of(const url& node) {
    const auto host = without_user(node.authority);
    return host.empty() ? node.scheme + ':' + without_user(node.path) : host;
}

/// An error names the node: there are several, and each has a host and a port.
std::unique_ptr<engine> make_node(const url& node, const std::string& label,
                                  const client_identity& identity) {
    try {
        return make_engine(node, identity);
    } catch (const error& wrong) {
        constexpr std::string_view opening = "URL: ";
        std::string_view text = wrong.what();
        if (text.starts_with(opening)) { text.remove_prefix(opening.size()); }
        throw error{wrong.code(), "URL: node " + label + ": " + std::string{text}};
    }
}

std::unique_ptr<engine> make(const url& url, const std::vector<holdfast::engine::url>& nodes,
                             const client_identity& identity) {
    if (nodes.size() > max_nodes) {
        refuse("a quorum has at most " + std::to_string(max_nodes) + " nodes");
    }
    std::vector<quorum_node> members;
    for (const auto& node : nodes) {
        auto label = label_of(node);
        for (const auto& other : members) {
            if (other.label == label) { refuse("node " + label + " is there twice"); }
        }
        auto access = make_node(node, label, identity);
        members.push_back({std::move(access), std::move(label)});
    }
    return std::make_unique<quorum_engine>(std::move(members), quorum_settings::from(url),
                                           identity);
}

bool is_quorum_key(const std::string& key) {
    return std::find(option_keys.begin(), option_keys.end(), key) != option_keys.end();
}

/// Those of redlock: are its own and most of those of its nodes.
void reject_unknown_keys(const url& url) {
    if (url.scheme == "redlocks") {
        url.allow_only({"node_timeout", "retry_min", "retry_max", "tries", "drift", "max_lease",
                        "rejoin_delay", "prefix", "timeout", "connect_timeout", "spin", "layout",
                        "key_prefix", "ca", "cert", "key", "server_name", "verify"});
    } else {
        url.allow_only({"node_timeout", "retry_min", "retry_max", "tries", "drift", "max_lease",
                        "rejoin_delay", "prefix", "timeout", "connect_timeout", "spin", "layout",
                        "key_prefix"});
    }
}

std::vector<url> redlock_nodes(const url& url) {
    auto hosts = split_hosts(url.authority);
    share_user(hosts);
    holdfast::engine::url node;
    node.scheme = url.scheme == "redlocks" ? "rediss" : "redis";
    node.path = url.path;
    for (const auto& [key, value] : url.query) {
        if (!is_quorum_key(key)) { node.query.emplace(key, value); }
    }
    if (node.query.contains("layout") && node.query.at("layout") == "redisson") {
        refuse("query: layout: redlock: has native and plain");
    }
    if (node.query.contains("fencing")) {
        refuse("query: fencing: redlock: has tokens in layout native, and none in layout plain");
    }
    reject_unknown_keys(url);
    std::vector<holdfast::engine::url> nodes;
    for (auto& host : hosts) {
        node.authority = std::move(host);
        nodes.push_back(node);
    }
    return nodes;
}

std::vector<url> quorum_nodes(const url& url) {
    if (!url.authority.empty() || !url.path.empty()) {
        refuse("write quorum:?node=URL&node=URL, each URL percent-encoded");
    }
    if (url.nodes.empty()) { refuse("query: node: missing; write quorum:?node=URL&node=URL"); }
    url.allow_only({"node", "node_timeout", "retry_min", "retry_max", "tries", "drift", "max_lease",
                    "rejoin_delay"});
    std::vector<holdfast::engine::url> nodes;
    for (const auto& text : url.nodes) {
        auto node = holdfast::engine::url::parse(text);
        if (node.scheme == "quorum" || node.scheme == "redlock" || node.scheme == "redlocks") {
            refuse("query: node: a quorum is no node of another");
        }
        nodes.push_back(std::move(node));
    }
    return nodes;
}

} // namespace

std::vector<url> node_urls(const url& url) {
    return url.scheme == "quorum" ? quorum_nodes(url) : redlock_nodes(url);
}

std::unique_ptr<engine> make_redlock(const url& url, const client_identity& identity) {
    return make(url, redlock_nodes(url), identity);
}

std::unique_ptr<engine> make_quorum(const url& url, const client_identity& identity) {
    return make(url, quorum_nodes(url), identity);
}

} // namespace holdfast::engine::quorum
