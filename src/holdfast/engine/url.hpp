#pragma once
// The URL of an engine, parsed.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::engine {

/// `scheme:path?key=value&key=value` or `scheme://[user[:password]@]host[:port],.../path?...`.
struct url {
    std::string scheme;
    std::string authority; ///< between `//` and the next `/`, `?` or the end; not parsed further
    std::string path;      ///< percent-decoded
    std::map<std::string, std::string, std::less<>> query; ///< percent-decoded, but not `node`
    /// The values of the key `node`, which may be repeated. So may `map`, whose values are joined
    /// by commas in `query`.
    std::vector<std::string> nodes;

    /// Throws error(invalid_url), naming the invalid part. Does no I/O. Never quotes the authority,
    /// which may contain a password.
    [[nodiscard]] static url parse(std::string_view text);

    /// Throws error(invalid_url) naming the first query key that is not one of `known`.
    void allow_only(const std::vector<std::string_view>& known) const;
};

/// `text` for a message: without what precedes its last '@', which may be a user and a password,
/// also where a URL stands in the wrong place.
[[nodiscard]] std::string without_user(std::string_view text);

} // namespace holdfast::engine
