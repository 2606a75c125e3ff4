#pragma once
// Makes quorum engines: redlock://h1,h2,h3 and quorum:?node=URL&node=URL.

#include "holdfast/engine/factory.hpp"

#include <memory>
#include <vector>

namespace holdfast::engine::quorum {

/// A quorum of Redis servers.
[[nodiscard]] std::unique_ptr<engine> make_redlock(const url& url, const client_identity& identity);

/// A quorum of any engines.
[[nodiscard]] std::unique_ptr<engine> make_quorum(const url& url, const client_identity& identity);

/// The URLs of the nodes that such a URL names. Throws error(invalid_url).
[[nodiscard]] std::vector<url> node_urls(const url& url);

} // namespace holdfast::engine::quorum
