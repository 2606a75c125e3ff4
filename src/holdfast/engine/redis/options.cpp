#include "holdfast/engine/redis/options.hpp"

#include "holdfast/engine/redis/safety_options.hpp"
#include "holdfast/engine/redis/url_parts.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::engine::redis {

namespace {

constexpr std::uint16_t default_port = 6379;
constexpr std::uint16_t default_sentinel_port = 26'379;
constexpr unsigned max_databases = 16'384;
constexpr std::size_t longest_prefix = 64;

void parse_user(std::string_view text, options& out) {
    const auto colon = text.find(':');
    if (colon == std::string_view::npos) {
        refuse_url("user: a password is missing; write redis://user:password@host, or "
                   "redis://:password@host for the default user");
    }
    out.user = decode_part(text.substr(0, colon), "user");
    out.password = decode_part(text.substr(colon + 1), "password");
    if (out.password.empty()) { refuse_url("password: empty; leave out user and password"); }
}

void parse_host(std::string_view text, options& out) {
    if (text.find(',') != std::string_view::npos) {
        refuse_url("host: only one server; several are redis+sentinel:, redis+cluster: or "
                   "redlock:");
    }
    auto server = parse_address(text, default_port);
    if (server.host.empty()) { refuse_url("host: missing; write for example redis://127.0.0.1"); }
    out.server.host = std::move(server.host);
    out.server.port = server.port;
}

void parse_database(std::string_view text, options& out) {
    const auto value = parse_number<unsigned>(text, max_databases);
    if (!value) { refuse_url("database: must be a number, as in redis://host/0"); }
    out.database = *value;
}

void parse_time(const url& url, const char* key, base::milliseconds& out) {
    const auto* const text = find_value(url, key);
    if (text == nullptr) { return; }
    const auto value = parse_number<unsigned>(*text, 60'000);
    if (!value || *value == 0) {
        refuse_url(std::string{"query: "} + key + ": must be milliseconds from 1 to 60000");
    }
    out = base::milliseconds{*value};
}

void parse_prefix(const url& url, options& out) {
    const auto* const text = find_value(url, "prefix");
    if (text == nullptr) { return; }
    if (text->size() > longest_prefix || text->find_first_of("{}") != std::string::npos) {
        refuse_url("query: prefix: at most 64 bytes, without '{' and '}'");
    }
    out.prefix = *text;
}

void parse_layout(const url& url, options& out) {
    if (const auto* const text = find_value(url, "layout")) {
        if (*text == "native") {
            out.layout = layout::native;
        } else if (*text == "plain") {
            out.layout = layout::plain;
        } else if (*text == "redisson") {
            out.layout = layout::redisson;
        } else if (*text == "redisson_fair") {
            out.layout = layout::redisson_fair;
        } else {
            refuse_url("query: layout: must be native, plain, redisson or redisson_fair");
        }
    }
    parse_choice(url, "fencing", out.fencing);
    parse_choice(url, "sharded", out.sharded);
    if (const auto* const text = find_value(url, "key_prefix")) {
        if (text->size() > longest_prefix) { refuse_url("query: key_prefix: at most 64 bytes"); }
        out.key_prefix = *text;
    }
}

void parse_tls(const url& url, options& out) {
    net::tls_options terms;
    const auto take = [&url](const char* key, std::string& to) {
        if (const auto* const text = find_value(url, key)) { to = *text; }
    };
    take("ca", terms.ca_file);
    take("cert", terms.certificate);
    take("key", terms.private_key);
    take("server_name", terms.server_name);
    if (terms.certificate.empty() != terms.private_key.empty()) {
        refuse_url("query: cert and key: both or neither");
    }
    parse_choice(url, "verify", terms.verify);
    out.server.tls = terms;
}

void parse_query(const url& url, options& out) {
    parse_prefix(url, out);
    parse_layout(url, out);
    parse_safety(url, out);
    parse_time(url, "connect_timeout", out.connect_timeout);
    parse_time(url, "timeout", out.command_timeout);
    if (const auto* const text = find_value(url, "spin")) {
        const auto value = parse_number<unsigned>(*text, 1000);
        if (!value) { refuse_url("query: spin: must be microseconds from 0 to 1000"); }
        out.spin = std::chrono::microseconds{*value};
    }
}

bool is_tls(const url& url) { return url.scheme.starts_with("rediss"); }
bool is_local(const url& url) { return url.scheme == "redis+unix"; }
bool is_sentinel(const url& url) { return url.scheme.ends_with("+sentinel"); }
bool is_cluster(const url& url) { return url.scheme.ends_with("+cluster"); }

std::vector<std::string_view> known_keys(const url& url) {
    std::vector<std::string_view> out{"prefix",   "timeout",  "connect_timeout", "spin",
                                      "layout",   "fencing",  "key_prefix",      "sharded",
                                      "replicas", "max_lease"};
    const auto add = [&out](std::initializer_list<std::string_view> keys) {
        out.insert(out.end(), keys);
    };
    if (is_tls(url)) { add({"ca", "cert", "key", "server_name", "verify"}); }
    if (is_local(url)) { add({"db"}); }
    if (is_sentinel(url)) { add({"sentinel_user", "sentinel_password", "map"}); }
    if (is_cluster(url)) { add({"map"}); }
    return out;
}

/// The path begins with the master's name.
void parse_sentinel(const url& url, std::string_view hosts, options& out) {
    auto& sentinel = out.sentinel.emplace();
    if (hosts.empty()) {
        refuse_url("host: missing; write for example redis+sentinel://s1,s2,s3/mymaster");
    }
    sentinel.servers = parse_servers(hosts, default_sentinel_port);
    for (auto& each : sentinel.servers) { each.tls = out.server.tls; }
    const std::string_view path = url.path;
    if (path.size() > 1) { sentinel.master = path.substr(1, path.find('/', 1) - 1); }
    if (sentinel.master.empty()) {
        refuse_url("path: the master's name is missing; write for example "
                   "redis+sentinel://s1,s2,s3/mymaster");
    }
    if (const auto* const text = find_value(url, "sentinel_user")) { sentinel.user = *text; }
    if (const auto* const text = find_value(url, "sentinel_password")) {
        sentinel.password = *text;
    }
    if (!sentinel.user.empty() && sentinel.password.empty()) {
        refuse_url("query: sentinel_user: needs a sentinel_password");
    }
    if (const auto* const text = find_value(url, "map")) { out.map = address_map::parse(*text); }
}

void parse_cluster(const url& url, std::string_view hosts, options& out) {
    auto& cluster = out.cluster.emplace();
    if (hosts.empty()) { refuse_url("host: missing; write for example redis+cluster://h1,h2,h3"); }
    cluster.seeds = parse_servers(hosts, default_port);
    for (auto& each : cluster.seeds) { each.tls = out.server.tls; }
    if (url.path.size() > 1) {
        refuse_url("database: a cluster has only database 0; leave out the path");
    }
    if (out.max_lease.count() > 0) {
        refuse_url("query: max_lease: not with a cluster, because a slot can lose its data or move "
                   "without its node; use redis+sentinel:, or compare tokens");
    }
    // Redisson uses sharded channels in a cluster.
    if (find_value(url, "sharded") == nullptr) { out.sharded = true; }
    if (const auto* const text = find_value(url, "map")) { out.map = address_map::parse(*text); }
}

} // namespace

options options::from(const url& url) {
    options out;
    url.allow_only(known_keys(url));
    if (is_tls(url)) { parse_tls(url, out); }
    parse_query(url, out);
    std::string_view host = url.authority;
    // The last '@': an '@' in a password should be written as %40, but often is not.
    if (const auto at = host.rfind('@'); at != std::string_view::npos) {
        parse_user(host.substr(0, at), out);
        host.remove_prefix(at + 1);
    }
    if (is_local(url)) {
        if (!host.empty() || url.path.size() < 2 || url.path.front() != '/') {
            refuse_url("path: write a socket as redis+unix:///path/to/socket");
        }
        out.server.unix_path = url.path;
        if (const auto* const text = find_value(url, "db")) { parse_database(*text, out); }
        return out;
    }
    if (is_cluster(url)) {
        parse_cluster(url, host, out);
        return out;
    }
    std::string_view database = url.path;
    if (is_sentinel(url)) {
        parse_sentinel(url, host, out);
        database.remove_prefix(std::min(database.find('/', 1), database.size()));
    } else {
        parse_host(host, out);
    }
    if (database.size() > 1) { parse_database(database.substr(1), out); }
    return out;
}

} // namespace holdfast::engine::redis
