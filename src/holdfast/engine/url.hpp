#pragma once
// Which engine, and where: the text that users write, taken apart.

#include <map>
#include <string>
#include <string_view>

namespace holdfast::engine {

/// `scheme:path?key=value&key=value` or `scheme://[user[:password]@]host[:port],.../path?...`.
struct url {
    std::string scheme;
    std::string authority; ///< between `//` and the next `/`, `?` or the end; not taken apart here
    std::string path;      ///< percent-decoded
    std::map<std::string, std::string, std::less<>> query; ///< percent-decoded

    /// Throws error(invalid_url) that names the part that is wrong. Does no I/O. Never quotes the
    /// authority, which may hold a password.
    [[nodiscard]] static url parse(std::string_view text);

    /// Throws error(invalid_url) naming the first query key that is not one of `known`.
    void allow_only(std::initializer_list<std::string_view> known) const;
};

} // namespace holdfast::engine
