#pragma once
// Mistyped URLs.

#include <string>
#include <string_view>

namespace holdfast::cli {

/// Throws error(invalid_url) that says what was meant if the URL does not begin with the scheme of
/// an engine, as `127.0.0.1:6379`, `redis//host` and `embedded`. Quotes no user and no password.
void check_url_form(const std::string& url);

/// The scheme of a text that can only be the URL of an engine, as `redis://`; empty: none. Names of
/// locks have colons, too: `redis:1001` and `https://host/page` are none.
[[nodiscard]] std::string engine_scheme(std::string_view text);

/// What to add to the message that no lock has this name, if it is the URL of an engine.
[[nodiscard]] std::string hint_at_url(std::string_view name);

/// For CLI::Option::check() of a PATTERN: says that an engine's URL belongs behind --url.
[[nodiscard]] std::string refuse_url(const std::string& text);

} // namespace holdfast::cli
