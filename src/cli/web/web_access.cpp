#include "cli/web/web_access.hpp"

#include "cli/web/web_token.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <netinet/in.h>

namespace holdfast::cli {

namespace {

constexpr std::string_view bearer = "Bearer ";

http::response refusal(int status, std::string reason) {
    return {.status = status, .body = std::move(reason) + "\n"};
}

/// Without the port and the brackets of an IPv6 address.
std::string host_part(std::string_view host) {
    if (host.starts_with('[')) { return std::string{host.substr(1, host.find(']') - 1)}; }
    return std::string{host.substr(0, host.find(':'))};
}

bool is_address(const std::string& host) {
    in6_addr parsed{};
    return ::inet_pton(AF_INET, host.c_str(), &parsed) == 1 ||
           ::inet_pton(AF_INET6, host.c_str(), &parsed) == 1;
}

} // namespace

std::optional<http::response> web_access::refuse(const http::http_request& request) const {
    if (request.count("host") != 1 || !knows_host(request.header_value("host"))) {
        return refusal(421, "this Host is not the page's; open the URL that holdfast web has "
                            "printed, by its address or as localhost");
    }
    if (!has_secret(request)) {
        return refusal(401, "the token is missing or wrong; open the URL that holdfast web has "
                            "printed, or send 'Authorization: Bearer TOKEN'");
    }
    return std::nullopt;
}

std::optional<http::response> web_access::refuse_change(const http::http_request& request) const {
    const auto origin = request.header_value("origin");
    const std::string host{request.header_value("host")};
    const auto fetched_by = request.header_value("sec-fetch-site");
    const bool ours = origin == "http://" + host || origin == "https://" + host;
    // Only a program sends no Origin, and it has no cookie that a page could abuse.
    const bool by_program =
        origin.empty() && request.header_value("authorization").starts_with(bearer);
    if ((!ours && !by_program) || (!fetched_by.empty() && fetched_by != "same-origin")) {
        return refusal(403, "this request does not come from the page");
    }
    if (request.header_value("x-holdfast-break") != "1") {
        return refusal(403, "the header 'X-Holdfast-Break: 1' is missing");
    }
    return std::nullopt;
}

http::header web_access::cookie() const {
    return {"Set-Cookie", cookie_name_ + "=" + secret_ + "; HttpOnly; SameSite=Strict; Path=/"};
}

/// A name that someone else has pointed at this host is not in `names_`; an address cannot be one.
bool web_access::knows_host(std::string_view host) const {
    const auto name = host_part(host);
    return name == "localhost" || is_address(name) ||
           std::find(names_.begin(), names_.end(), name) != names_.end();
}

/// The URL has it only where the page is opened: the page removes it from the address bar.
bool web_access::has_secret(const http::http_request& request) const {
    if (request.path == "/" && request.method == "GET") {
        if (const auto given = http::form_value(request.query, "token")) {
            return equals_secret(*given, secret_);
        }
    }
    const auto authorization = request.header_value("authorization");
    if (authorization.starts_with(bearer)) {
        return equals_secret(authorization.substr(bearer.size()), secret_);
    }
    return equals_secret(cookie_of(request), secret_);
}

std::string_view web_access::cookie_of(const http::http_request& request) const {
    auto rest = request.header_value("cookie");
    while (!rest.empty()) {
        const auto end = rest.find(';');
        auto pair = rest.substr(0, end);
        pair.remove_prefix(std::min(pair.find_first_not_of(' '), pair.size()));
        const auto equals = pair.find('=');
        if (equals != std::string_view::npos && pair.substr(0, equals) == cookie_name_) {
            return pair.substr(equals + 1);
        }
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    return {};
}

} // namespace holdfast::cli
