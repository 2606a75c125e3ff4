#pragma once
// Mistyped URLs.

#include <string>

namespace holdfast::cli {

/// Throws error(invalid_url) that says what was meant if the URL does not begin with the scheme of
/// an engine, as `127.0.0.1:6379`, `redis//host` and `embedded`. Quotes no user and no password.
void check_url_form(const std::string& url);

} // namespace holdfast::cli
