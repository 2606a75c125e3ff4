#pragma once
// Who may use the page of `holdfast web`.

#include "holdfast/http/http_response.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

/// Checks the three ways in which a foreign page could reach the server through the user's browser:
/// without the secret, by a name that it has pointed at this host (DNS rebinding), or by a request
/// that the browser decorates with our cookie (CSRF).
///
/// Thread safety: const members, from any thread.
class web_access {
public:
    /// `names`: host names beside localhost and addresses by which the server is reached.
    web_access(std::string secret, const std::string& port, std::vector<std::string> names)
        : secret_{std::move(secret)}, cookie_name_{"holdfast-" + port}, names_{std::move(names)} {}

    /// Why this request must not be answered; empty: it may.
    [[nodiscard]] std::optional<http::response> refuse(const http::http_request& request) const;
    /// The same for a request that changes something.
    [[nodiscard]] std::optional<http::response>
    refuse_change(const http::http_request& request) const;

    /// Lets the browser in from now on.
    [[nodiscard]] http::header cookie() const;

private:
    [[nodiscard]] bool knows_host(std::string_view host) const;
    [[nodiscard]] bool has_secret(const http::http_request& request) const;
    [[nodiscard]] std::string_view cookie_of(const http::http_request& request) const;

    std::string secret_;
    std::string cookie_name_;
    std::vector<std::string> names_;
};

} // namespace holdfast::cli
