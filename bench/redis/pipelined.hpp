#pragma once
// A client with pipelined releases.

#include <holdfast/holdfast.hpp>

#include <optional>
#include <string>

namespace holdfast::bench::redis {

/// Empty if the library has no such option.
template <class Options = client_options>
[[nodiscard]] std::optional<client> pipelined_client(const std::string& url) {
    if constexpr (requires(Options with) { with.pipeline_release = true; }) {
        Options with;
        with.pipeline_release = true;
        return client{url, with};
    } else {
        return std::nullopt;
    }
}

} // namespace holdfast::bench::redis
