#include "holdfast/engine/redis/options.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace holdfast::engine::redis {

namespace {

constexpr std::uint16_t default_port = 6379;
constexpr unsigned most_databases = 16'384;
constexpr std::size_t longest_prefix = 64;

[[noreturn]] void refuse(const std::string& why) { throw error{errc::invalid_url, "URL: " + why}; }

template <typename Number>
std::optional<Number> number(std::string_view text, Number most) {
    Number value{};
    const auto* const end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, value);
    if (text.empty() || failure != std::errc{} || stop != end || value > most) {
        return std::nullopt;
    }
    return value;
}

/// `part` names what is decoded; the text itself may be a secret.
std::string decode(std::string_view text, const char* part) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            out += text[at];
            continue;
        }
        unsigned value = 0;
        const auto digits = text.substr(at + 1, 2);
        const auto* const end = digits.data() + digits.size();
        const auto [stop, failure] = std::from_chars(digits.data(), end, value, 16);
        if (digits.size() != 2 || failure != std::errc{} || stop != end) {
            refuse(std::string{part} + ": '%' needs two hexadecimal digits after it; write a "
                                       "percent sign as %25");
        }
        out += static_cast<char>(value);
        at += 2;
    }
    return out;
}

void take_user(std::string_view text, options& out) {
    const auto colon = text.find(':');
    if (colon == std::string_view::npos) {
        refuse("user: a password is missing; write redis://user:password@host, or "
               "redis://:password@host for the default user");
    }
    out.user = decode(text.substr(0, colon), "user");
    out.password = decode(text.substr(colon + 1), "password");
    if (out.password.empty()) { refuse("password: empty; leave out user and password"); }
}

void take_port(std::string_view text, options& out) {
    const auto port = number<std::uint16_t>(text, 65'535);
    if (!port || *port == 0) { refuse("port: must be a number from 1 to 65535"); }
    out.server.port = *port;
}

void take_host(std::string_view text, options& out) {
    out.server.port = default_port;
    if (!text.empty() && text.front() == '[') {
        const auto close = text.find(']');
        if (close == std::string_view::npos) { refuse("host: '[' without ']'"); }
        out.server.host = text.substr(1, close - 1);
        text.remove_prefix(close + 1);
        if (text.empty()) { return; }
        if (text.front() != ':') { refuse("host: only :port may follow ']'"); }
        take_port(text.substr(1), out);
        return;
    }
    const auto colon = text.find(':');
    if (colon != std::string_view::npos && text.find(':', colon + 1) != std::string_view::npos) {
        refuse("host: write an IPv6 address in brackets, as in redis://[::1]:6379");
    }
    if (text.find(',') != std::string_view::npos) {
        refuse("host: only one server; several at once are not in this version");
    }
    out.server.host = decode(text.substr(0, colon), "host");
    if (colon != std::string_view::npos) { take_port(text.substr(colon + 1), out); }
}

void take_database(std::string_view text, options& out) {
    const auto value = number<unsigned>(text, most_databases);
    if (!value) { refuse("database: must be a number, as in redis://host/0"); }
    out.database = *value;
}

const std::string* find(const url& where, std::string_view key) {
    const auto found = where.query.find(key);
    return found == where.query.end() ? nullptr : &found->second;
}

void take_time(const url& where, const char* key, base::milliseconds& out) {
    const auto* const text = find(where, key);
    if (text == nullptr) { return; }
    const auto value = number<unsigned>(*text, 60'000);
    if (!value || *value == 0) {
        refuse(std::string{"query: "} + key + ": must be milliseconds from 1 to 60000");
    }
    out = base::milliseconds{*value};
}

void take_prefix(const url& where, options& out) {
    const auto* const text = find(where, "prefix");
    if (text == nullptr) { return; }
    if (text->size() > longest_prefix || text->find_first_of("{}") != std::string::npos) {
        refuse("query: prefix: at most 64 bytes, without '{' and '}'");
    }
    out.prefix = *text;
}

/// yes or no.
void take_choice(const url& where, const char* key, bool& out) {
    const auto* const text = find(where, key);
    if (text == nullptr) { return; }
    if (*text != "yes" && *text != "no") {
        refuse(std::string{"query: "} + key + ": must be yes or no");
    }
    out = *text == "yes";
}

void take_layout(const url& where, options& out) {
    if (const auto* const text = find(where, "layout")) {
        if (*text == "native") {
            out.layout = layout::native;
        } else if (*text == "plain") {
            out.layout = layout::plain;
        } else if (*text == "redisson") {
            out.layout = layout::redisson;
        } else {
            refuse("query: layout: must be native, plain or redisson");
        }
    }
    take_choice(where, "fencing", out.fencing);
    take_choice(where, "sharded", out.sharded);
    if (const auto* const text = find(where, "key_prefix")) {
        if (text->size() > longest_prefix) { refuse("query: key_prefix: at most 64 bytes"); }
        out.key_prefix = *text;
    }
}

void take_tls(const url& where, options& out) {
    net::tls_options terms;
    const auto take = [&where](const char* key, std::string& to) {
        if (const auto* const text = find(where, key)) { to = *text; }
    };
    take("ca", terms.ca_file);
    take("cert", terms.certificate);
    take("key", terms.private_key);
    take("server_name", terms.server_name);
    if (terms.certificate.empty() != terms.private_key.empty()) {
        refuse("query: cert and key: both or neither");
    }
    take_choice(where, "verify", terms.verify);
    out.server.tls = terms;
}

void take_query(const url& where, options& out) {
    take_prefix(where, out);
    take_layout(where, out);
    take_time(where, "connect_timeout", out.connect_timeout);
    take_time(where, "timeout", out.command_timeout);
    if (const auto* const text = find(where, "spin")) {
        const auto value = number<unsigned>(*text, 1000);
        if (!value) { refuse("query: spin: must be microseconds from 0 to 1000"); }
        out.spin = std::chrono::microseconds{*value};
    }
}

} // namespace

options options::from(const url& where) {
    options out;
    const bool tls = where.scheme == "rediss";
    const bool local = where.scheme == "redis+unix";
    if (tls) {
        where.allow_only({"prefix", "timeout", "connect_timeout", "spin", "layout", "fencing",
                          "key_prefix", "sharded", "ca", "cert", "key", "server_name", "verify"});
        take_tls(where, out);
    } else if (local) {
        where.allow_only({"prefix", "timeout", "connect_timeout", "spin", "layout", "fencing",
                          "key_prefix", "sharded", "db"});
    } else {
        where.allow_only({"prefix", "timeout", "connect_timeout", "spin", "layout", "fencing",
                          "key_prefix", "sharded"});
    }
    take_query(where, out);
    std::string_view host = where.authority;
    // The last '@': one in a password should be written as %40, but often is not.
    if (const auto at = host.rfind('@'); at != std::string_view::npos) {
        take_user(host.substr(0, at), out);
        host.remove_prefix(at + 1);
    }
    if (local) {
        if (!host.empty() || where.path.size() < 2 || where.path.front() != '/') {
            refuse("path: write a socket as redis+unix:///path/to/socket");
        }
        out.server.unix_path = where.path;
        if (const auto* const text = find(where, "db")) { take_database(*text, out); }
        return out;
    }
    take_host(host, out);
    if (out.server.host.empty()) { refuse("host: missing; write for example redis://127.0.0.1"); }
    if (where.path.size() > 1) { take_database(std::string_view{where.path}.substr(1), out); }
    return out;
}

} // namespace holdfast::engine::redis
