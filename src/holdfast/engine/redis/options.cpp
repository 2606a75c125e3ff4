#include "holdfast/engine/redis/options.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace holdfast::engine::redis {

namespace {

constexpr std::uint16_t default_port = 6379;
constexpr unsigned max_databases = 16'384;
constexpr std::size_t longest_prefix = 64;

[[noreturn]] void refuse(const std::string& why) { throw error{errc::invalid_url, "URL: " + why}; }

template <typename Number>
std::optional<Number> number(std::string_view text, Number max) {
    Number value{};
    const auto* const end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, value);
    if (text.empty() || failure != std::errc{} || stop != end || value > max) {
        return std::nullopt;
    }
    return value;
}

/// `part` names the text in messages; the text itself may be a secret.
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

void parse_user(std::string_view text, options& out) {
    const auto colon = text.find(':');
    if (colon == std::string_view::npos) {
        refuse("user: a password is missing; write redis://user:password@host, or "
               "redis://:password@host for the default user");
    }
    out.user = decode(text.substr(0, colon), "user");
    out.password = decode(text.substr(colon + 1), "password");
    if (out.password.empty()) { refuse("password: empty; leave out user and password"); }
}

void parse_port(std::string_view text, options& out) {
    const auto port = number<std::uint16_t>(text, 65'535);
    if (!port || *port == 0) { refuse("port: must be a number from 1 to 65535"); }
    out.server.port = *port;
}

void parse_host(std::string_view text, options& out) {
    out.server.port = default_port;
    if (!text.empty() && text.front() == '[') {
        const auto close = text.find(']');
        if (close == std::string_view::npos) { refuse("host: '[' without ']'"); }
        out.server.host = text.substr(1, close - 1);
        text.remove_prefix(close + 1);
        if (text.empty()) { return; }
        if (text.front() != ':') { refuse("host: only :port may follow ']'"); }
        parse_port(text.substr(1), out);
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
    if (colon != std::string_view::npos) { parse_port(text.substr(colon + 1), out); }
}

void parse_database(std::string_view text, options& out) {
    const auto value = number<unsigned>(text, max_databases);
    if (!value) { refuse("database: must be a number, as in redis://host/0"); }
    out.database = *value;
}

const std::string* find(const url& url, std::string_view key) {
    const auto found = url.query.find(key);
    return found == url.query.end() ? nullptr : &found->second;
}

void parse_time(const url& url, const char* key, base::milliseconds& out) {
    const auto* const text = find(url, key);
    if (text == nullptr) { return; }
    const auto value = number<unsigned>(*text, 60'000);
    if (!value || *value == 0) {
        refuse(std::string{"query: "} + key + ": must be milliseconds from 1 to 60000");
    }
    out = base::milliseconds{*value};
}

void parse_prefix(const url& url, options& out) {
    const auto* const text = find(url, "prefix");
    if (text == nullptr) { return; }
    if (text->size() > longest_prefix || text->find_first_of("{}") != std::string::npos) {
        refuse("query: prefix: at most 64 bytes, without '{' and '}'");
    }
    out.prefix = *text;
}

/// yes or no.
void parse_choice(const url& url, const char* key, bool& out) {
    const auto* const text = find(url, key);
    if (text == nullptr) { return; }
    if (*text != "yes" && *text != "no") {
        refuse(std::string{"query: "} + key + ": must be yes or no");
    }
    out = *text == "yes";
}

void parse_layout(const url& url, options& out) {
    if (const auto* const text = find(url, "layout")) {
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
    parse_choice(url, "fencing", out.fencing);
    parse_choice(url, "sharded", out.sharded);
    if (const auto* const text = find(url, "key_prefix")) {
        if (text->size() > longest_prefix) { refuse("query: key_prefix: at most 64 bytes"); }
        out.key_prefix = *text;
    }
}

void parse_tls(const url& url, options& out) {
    net::tls_options terms;
    const auto take = [&url](const char* key, std::string& to) {
        if (const auto* const text = find(url, key)) { to = *text; }
    };
    take("ca", terms.ca_file);
    take("cert", terms.certificate);
    take("key", terms.private_key);
    take("server_name", terms.server_name);
    if (terms.certificate.empty() != terms.private_key.empty()) {
        refuse("query: cert and key: both or neither");
    }
    parse_choice(url, "verify", terms.verify);
    out.server.tls = terms;
}

void parse_query(const url& url, options& out) {
    parse_prefix(url, out);
    parse_layout(url, out);
    parse_time(url, "connect_timeout", out.connect_timeout);
    parse_time(url, "timeout", out.command_timeout);
    if (const auto* const text = find(url, "spin")) {
        const auto value = number<unsigned>(*text, 1000);
        if (!value) { refuse("query: spin: must be microseconds from 0 to 1000"); }
        out.spin = std::chrono::microseconds{*value};
    }
}

} // namespace

options options::from(const url& url) {
    options out;
    const bool tls = url.scheme == "rediss";
    const bool local = url.scheme == "redis+unix";
    if (tls) {
        url.allow_only({"prefix", "timeout", "connect_timeout", "spin", "layout", "fencing",
                        "key_prefix", "sharded", "ca", "cert", "key", "server_name", "verify"});
        parse_tls(url, out);
    } else if (local) {
        url.allow_only({"prefix", "timeout", "connect_timeout", "spin", "layout", "fencing",
                        "key_prefix", "sharded", "db"});
    } else {
        url.allow_only({"prefix", "timeout", "connect_timeout", "spin", "layout", "fencing",
                        "key_prefix", "sharded"});
    }
    parse_query(url, out);
    std::string_view host = url.authority;
    // The last '@': an '@' in a password should be written as %40, but often is not.
    if (const auto at = host.rfind('@'); at != std::string_view::npos) {
        parse_user(host.substr(0, at), out);
        host.remove_prefix(at + 1);
    }
    if (local) {
        if (!host.empty() || url.path.size() < 2 || url.path.front() != '/') {
            refuse("path: write a socket as redis+unix:///path/to/socket");
        }
        out.server.unix_path = url.path;
        if (const auto* const text = find(url, "db")) { parse_database(*text, out); }
        return out;
    }
    parse_host(host, out);
    if (out.server.host.empty()) { refuse("host: missing; write for example redis://127.0.0.1"); }
    if (url.path.size() > 1) { parse_database(std::string_view{url.path}.substr(1), out); }
    return out;
}

} // namespace holdfast::engine::redis
